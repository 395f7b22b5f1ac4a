"""Faults of networks, gateways and services, put between the client and a real server."""
