"""Opening captures, and the session that answers about them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _rooflight
from ._errors import (
    ArgumentError,
    CaptureNotFoundError,
    PartialCaptureWarning,
    RooflightError,
    UnreadableCaptureError,
)
from ._result import Result

Path = Union[str, "os.PathLike[str]"]


def open(paths: Path | Sequence[Path]) -> Session:
    """Open captures as one session.

    Args:
        paths: A file or a folder, or several of them: the captures of the hosts of one run. A file is a capture
            (``.xplane.pb``, ``.trace.json``), a program (``.hlo_proto.pb``, text of HLO), an archive, or a report file
            with captures. Files may be packed with gzip or xz.

    Raises:
        CaptureNotFoundError: There is no such file or folder.
        UnreadableCaptureError: No file could be read.

    Warns:
        PartialCaptureWarning: A part of the input could not be read, so that totals may be too small.
    """
    return Session(_list(paths))


def _list(paths: Path | Sequence[Path]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def _arguments(command: str, options: Mapping[str, Any]) -> list[str]:
    """Return the command with its options as the command line spells them: ``peak_hbm_gbps=1`` is ``--peak-hbm-gbps=1``."""
    arguments = [command, "--json"]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            arguments += [f"{option}={key}={item}" for key, item in value.items()]
        elif value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            arguments.append(f"{option}={value}")
    return arguments


class Session:
    """Captures that were opened as one session. ``rooflight.open`` makes it.

    Each method returns a ``Result``: the JSON document of the command of the same name, and its tables. All methods
    have these options, which the command line has too:

    - ``step``: ``"mean"`` for the mean of the steady steps (the default), a number, ``"busiest"``, or ``"all"`` for the
      whole capture.
    - ``window``: A part of the timeline in place of a step, such as ``"12.5ms..14ms"``.
    - ``device``: ``"mean"``, ``"all"`` for the sum of all devices, a number, or a name such as ``"TPU:0"``.
    - ``top``: The largest number of rows.

    Methods raise ``ArgumentError`` for a value that an option does not accept, and ``RooflightError`` if the capture has
    no such step or device. Methods may be called from any thread. Other threads run while a method computes.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths: list[str] = list(paths)
        self._warned: set[str] = set()
        try:
            self._capture, messages = _rooflight.OpenCapture.open(self.paths)
        except RooflightError as error:
            is_missing = any(not os.path.lexists(path) for path in self.paths)
            raise (CaptureNotFoundError if is_missing else UnreadableCaptureError)(str(error)) from None
        #: The sentences about parts that could not be read. Empty if all of the input was read.
        self.partial: list[str] = messages
        self._warn(messages, 4)

    def __repr__(self) -> str:
        return f"<rooflight.Session of {', '.join(self.paths)}>"

    def overview(
        self,
        *,
        attainable: float | None = None,
        tokens: float | None = None,
        flops_per_token: float | None = None,
        parameters: float | None = None,
        job_devices: int | None = None,
        chip: str | None = None,
        peaks: str | None = None,
        peak_tflops: Mapping[str, float] | None = None,
        peak_hbm_gbps: float | None = None,
        topology: str | None = None,
        wrap: bool = False,
        dcn: float | None = None,
        network: float | None = None,
        mesh: str | None = None,
        flags: str | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
    ) -> Result:
        """Say what limits the run, what each limit costs, and what to try. The first table has the findings.

        Args:
            attainable: The share of the roofline that ops are expected to attain. Default: 0.8.
            tokens: The tokens in one step of the whole job, for MFU from useful FLOPs.
            flops_per_token: The FLOPs per token. Default: 6 × ``parameters``.
            parameters: The parameters of the whole model.
            job_devices: The number of devices that share a step.
            chip, peaks, peak_tflops, peak_hbm_gbps: The peaks of a device, as in ``roofline``.
            topology: The chips along each dimension of the machine, such as ``"4x4x4"``.
            wrap: Whether every dimension of the topology has wrap-around links (a torus).
            dcn: The bandwidth of the data center network between slices of TPUs, in GB/s of a device.
            network: The bandwidth of the network between hosts of GPUs, in GB/s of a device.
            mesh: The axes of the device mesh, such as ``"data=4,model=8"``.
            flags: The XLA flags of the run.
            step, window, device: See ``Session``.
        """
        return self._ask("overview", _options(locals()))

    def breakdown(
        self,
        by: str = "op",
        *,
        filter: str | None = None,
        within: str | None = None,
        regex: bool = False,
        kind: str | None = None,
        scope: str | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """Divide the self time of ops into groups. The first table has the groups.

        Args:
            by: ``op``, ``dedup``, ``op_group``, ``category``, ``kind``, ``phase``, ``layer``, ``scope``, ``source`` or
                ``program``.
            filter: Keeps the ops whose texts contain this text.
            within: Where the filter searches: ``leaf``, ``source`` or ``anywhere``.
            regex: Whether the filter is a regular expression.
            kind: Keeps the ops of one kind, such as ``compute`` or ``comm``.
            scope: Keeps the ops at or below a scope path.
            step, window, device, top: See ``Session``.
        """
        return self._ask("breakdown", _options(locals()))

    def roofline(
        self,
        by: str = "op",
        *,
        all_kinds: bool = False,
        chip: str | None = None,
        peaks: str | None = None,
        peak_tflops: Mapping[str, float] | None = None,
        peak_hbm_gbps: float | None = None,
        kernel_cost: Mapping[str, str] | None = None,
        batch: float | None = None,
        sequence: float | None = None,
        flops_per_token: float | None = None,
        job_devices: int | None = None,
        filter: str | None = None,
        within: str | None = None,
        regex: bool = False,
        kind: str | None = None,
        scope: str | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """Compare ops with the peak FLOP/s and the peak bandwidth of their device. The first table has the groups.

        Args:
            by: As in ``breakdown``.
            all_kinds: Includes ops of all kinds of time, not only compute.
            chip: Uses the published peaks of this chip.
            peaks: The source that wins: ``profile`` or ``published``.
            peak_tflops: The peak of one device for data types, such as ``{"bf16": 459}``.
            peak_hbm_gbps: The HBM bandwidth of one device in GB/s.
            kernel_cost: FLOPs and bytes of kernels, such as ``{"attention*": "1e12,3e9"}``.
            batch, sequence, flops_per_token, job_devices: The useful FLOPs of a step.
            filter, within, regex, kind, scope: As in ``breakdown``.
            step, window, device, top: See ``Session``.
        """
        return self._ask("roofline", _options(locals()))

    def memory(
        self,
        *,
        color: int | None = None,
        program: str | int | None = None,
        vocabulary: int | None = None,
        parameters: int | None = None,
        fit_parameters: str | int | None = None,
        fit_devices: str | int | None = None,
        fit_sequences: str | int | None = None,
        fit_length: str | int | None = None,
        chip: str | None = None,
        top: int | None = None,
    ) -> Result:
        """List what fills memory at its peak. The first table, ``buffers``, has the buffers of all programs and memories.

        The table ``spaces`` has the memories of each program, ``runtime`` the allocators, and ``cross_check`` compares
        both.

        Args:
            color: One memory: 0 is HBM, 1 is the VMEM of a TPU.
            program: One program, by name or id.
            vocabulary: The smallest size of a dimension that counts as the vocabulary.
            parameters: The number of model parameters on one device.
            fit_parameters, fit_devices, fit_sequences, fit_length: Estimate the memory of another size.
            chip: The chip whose memory is the capacity where no allocator reports one.
            top: See ``Session``.
        """
        return self._ask("memory", _options(locals()))

    def comm(
        self,
        by: str = "op",
        *,
        mesh: str | None = None,
        topology: str | None = None,
        wrap: bool = False,
        dcn: float | None = None,
        network: float | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """List collectives: time in flight, exposed and overlapped time, bus bandwidth. The first table has the rows.

        The table ``dma_rows`` has the copies.

        Args:
            by: ``op``, ``source``, ``group`` or ``primitive``.
            mesh: The axes of the device mesh, such as ``"data=4,model=8"``.
            topology: The chips along each dimension of the machine, such as ``"4x4x4"``.
            wrap: Whether every dimension of the topology has wrap-around links (a torus).
            dcn: The bandwidth of the data center network between slices of TPUs, in GB/s of a device.
            network: The bandwidth of the network between hosts of GPUs, in GB/s of a device.
            step, window, device, top: See ``Session``.
        """
        return self._ask("comm", _options(locals()))

    def gaps(
        self,
        *,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """List the times without an op, and what the device waited for. The first table has the gaps, ``classes`` the sums."""
        return self._ask("gaps", _options(locals()))

    def data_movement(
        self,
        *,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """List copies, layout changes and waits, and what each of them changes."""
        return self._ask("data-movement", _options(locals()))

    def flags(
        self,
        flags: str | None = None,
        *,
        mesh: str | None = None,
        topology: str | None = None,
        wrap: bool = False,
        dcn: float | None = None,
        network: float | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
    ) -> Result:
        """Judge the XLA flags of the run by the defaults, the chip and the communication of the capture.

        Args:
            flags: The flags, as in ``LIBTPU_INIT_ARGS`` or ``XLA_FLAGS``. Without them, the defaults are judged.
            mesh, topology, wrap, dcn, network: As in ``comm``.
            step, window, device: See ``Session``.
        """
        return self._ask("flags", _options(locals()))

    def summary(
        self,
        *,
        attainable: float | None = None,
        step: str | int | None = None,
        window: str | None = None,
        device: str | int | None = None,
        top: int | None = None,
    ) -> Result:
        """Return the main figures of every other method."""
        return self._ask("summary", _options(locals()))

    def inspect(self) -> Result:
        """List the files, planes and programs of the session."""
        return self._ask("inspect", {})

    def compare(
        self,
        other: Session | Path | Sequence[Path],
        *,
        band: float | None = None,
        fail_over: float | None = None,
        on: str | None = None,
        history: Path | Sequence[Path] = (),
        pair: Mapping[str, str] | None = None,
        by: str | None = None,
        without_sources: bool = False,
        top: int | None = None,
    ) -> Result:
        """Compare this session, the baseline, with another one, the experiment. Both are read again from their files.

        The first table has a row for each op. In a data frame, the fields of both sides begin with ``a_`` and ``b_``.

        Args:
            other: A session, or the paths of one.
            band: The share of the baseline below which a difference is noise. Default: 0.01.
            fail_over: The share by which the experiment may exceed the baseline; ``result["gate"]`` has the verdict.
            on: What ``fail_over`` compares: ``period``, ``peak-hbm`` or ``exposed``.
            history: Earlier captures of the same program, at least 8, or reports of them. They give the band in place of ``band``.
            pair: Ops of the baseline, each with the op of the experiment that it is paired with by hand.
            by: Groups the ops by ``op_group``, ``kind``, ``scope`` or ``source``. The table ``groups`` has the groups.
            without_sources: Leaves out source lines.
            top: See ``Session``.
        """
        paths = other.paths if isinstance(other, Session) else _list(other)
        options = {"band": band, "fail_over": fail_over, "on": on, "pair": pair, "by": by, "top": top}
        options["without_sources"] = without_sources
        earlier = [f"--history={path}" for path in _list(history)]
        arguments = [*_arguments("compare", options), *earlier, *_files(self.paths), "--", *_files(paths)]
        return self._document(lambda: _rooflight.document(arguments), 4)

    def html(self) -> str:
        """Return the page with a report of this session, as one HTML file that needs no network.

        The report has the results of all views, but no events, no HLO and no lines of source; see ``docs/SHARING.md``.
        """
        from ._notebook import page

        return page(self.paths)

    def _repr_html_(self) -> str:
        from ._notebook import frame

        return frame(self.html())

    def _ask(self, command: str, options: Mapping[str, Any]) -> Result:
        arguments = [*_arguments(command, options), *_files(self.paths)]
        return self._document(lambda: self._capture.document(arguments), 5)

    def _document(self, run: Any, level: int) -> Result:
        try:
            text, messages = run()
        except ValueError as error:
            raise ArgumentError(str(error)) from None
        self._warn(messages, level)
        return Result(text)

    def _warn(self, messages: Sequence[str], level: int) -> None:
        """Warn once of each missing part. `level` is the number of calls between this one and the user's."""
        for message in messages:
            if message not in self._warned:
                self._warned.add(message)
                warnings.warn(message, PartialCaptureWarning, stacklevel=level)


def _options(names: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if name != "self"}


def _files(paths: Sequence[str]) -> list[str]:
    """Return paths that the command line does not take for options: ``-x`` becomes ``./-x``."""
    return [os.path.join(os.curdir, path) if path.startswith("-") else path for path in paths]
