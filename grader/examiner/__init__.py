"""One suite, one submission -> verdicts. The suites, the references and the seed live here."""
