"""The tests of both programs; they mirror the source tree and know the contract only from its documents."""
