"""Resolves names below localhost in Python, as curl and browsers do; the C library asks a DNS server for them. Loaded through PYTHONPATH."""
import socket

_resolve = socket.getaddrinfo


def _resolve_local_name(host, *args, **kwargs):
    is_local = isinstance(host, str) and host.endswith(".localhost")
    return _resolve("127.0.0.1" if is_local else host, *args, **kwargs)


socket.getaddrinfo = _resolve_local_name
