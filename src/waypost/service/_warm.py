"""Preloaded module of the fork server: imports and warms the code that checks pages before workers are forked."""

import gc

from waypost.isolation.lifeline import while_parent_lives

with while_parent_lives():
    from waypost.service import page_work

    page_work.warm_up()
# Frozen objects are not visited by the collector, so forked workers keep sharing these memory pages.
gc.collect()
gc.freeze()
