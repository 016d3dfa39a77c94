"""Small systems use one thread for dense matrices, and the process keeps the number that it had."""

from threading import Barrier, Thread

import pytest
import scipy.linalg  # noqa: F401  (its library begins with as many threads as the environment says)
from threadpoolctl import threadpool_limits

import linkwork as lw
from linkwork.blas import SMALL, find_libraries, one_thread


def count_threads() -> list[int]:
    return [library.get_num_threads() for library in find_libraries()]


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if set(count_threads()) != {2}:
            pytest.skip("the libraries for dense matrices have one thread here")
        yield


def test_small_work_has_one_thread_and_leaves_the_number_as_it_was(two_threads):
    with one_thread(10):
        assert set(count_threads()) == {1}
        with one_thread(10):
            assert set(count_threads()) == {1}
        assert set(count_threads()) == {1}
    assert set(count_threads()) == {2}
    with one_thread(SMALL + 1):
        assert set(count_threads()) == {2}


def test_the_number_is_put_back_after_an_error_and_by_the_last_of_several_threads(two_threads):
    with pytest.raises(ZeroDivisionError), one_thread():
        1 / 0  # noqa: B018
    assert set(count_threads()) == {2}
    begun, over = Barrier(2), Barrier(2)

    def work():
        with one_thread():
            begun.wait()
            over.wait()

    other = Thread(target=work)
    with one_thread():
        other.start()
        begun.wait()
        over.wait()
        other.join()
        assert set(count_threads()) == {1}  # the other one has ended, this has not
    assert set(count_threads()) == {2}


def test_a_run_with_its_audit_has_one_thread(two_threads, monkeypatch):
    seen = []
    model = lw.load("examples/four-bar.yaml")
    motion = model.simulate(0.1, progress=lambda t: seen.append(set(count_threads())))
    motion.audit()
    assert seen and all(counts == {1} for counts in seen)
    assert set(count_threads()) == {2}
