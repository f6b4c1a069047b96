"""The steps from every earlier form of the tables to today's; run by ``upgrading`` alone."""
