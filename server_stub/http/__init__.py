"""The HTTP interface of the contract: Starlette application, dispatch, parameters, OpenAPI, routes."""
