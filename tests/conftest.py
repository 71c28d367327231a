"""How all tests are run: a slow machine is no failure, and the same examples every time.

`make campaigns` draws other examples, and many more of them.
"""

import pytest
from hypothesis import HealthCheck, settings

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", PATIENT, derandomize=True, max_examples=25)
settings.register_profile("campaign", PATIENT, max_examples=1000)
settings.load_profile("steady")


WAITING = ("browser.py", "test_access.py", "test_install.py")
"""Files whose tests wait for browsers and environments."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file in one process, which then makes its shared fixtures once.

    Files that wait come first, so that the other processes have work meanwhile.
    """
    items.sort(key=lambda item: not item.path.name.endswith(WAITING))
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
