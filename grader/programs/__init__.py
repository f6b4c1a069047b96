"""Any program asked the same: in this process or in a worker."""
