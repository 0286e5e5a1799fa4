"""Tests scripts/kernel-table on made-up reports and listings: nothing is compiled here.

  python3 tests/scripts/kernel_table_test.py
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "scripts"))
import kernel_cycles  # noqa: E402
import kernel_latency  # noqa: E402

warp_symbol = "_ZN7warpath7kernels11score_pairsILi4ELi4ELi1ELj127ELb1ELb0EEEvNS0_9GroupViewE"
symbol = "_ZN7warpath7kernels21score_in_shared_tableILi12ELj127ELb1EEEvNS0_8TileViewE"
report = """ptxas info : Compiling entry function '{symbol}' for 'sm_90'
ptxas info : Function properties for {symbol}
    0 bytes stack frame, {spills} bytes spill stores, 0 bytes spill loads
ptxas info : Used {registers} registers, used 1 barriers
"""

# A tile: 2 instructions, a step of 4, then 1 and a slow path that is left out, then the way back.
tile = ["S2R R0, SR_TID.X", "BAR.SYNC 0x0",           # 0x00, once for a slice
        "LDG.E R1, desc[UR4][R2.64]", "MOV R3, RZ",    # 0x20, the head of the tile
        "LDS R4, [R1]", "FADD R3, R3, R4", "IMAD R1, R1, R5, R6", "@P0 BRA 0x40",  # 0x40, the step
        "MUFU.RCP R4, R3", "@!P1 BRA 0xd0", "MOV R7, 0xc0", "CALL.REL.NOINC 0x120", "MOV R4, R0",
        "STG.E desc[UR4][R2.64], R4", "@!P2 BRA 0x20",  # 0xd0, the end of the tile
        "@P3 BRA 0x10", "EXIT", "BRA 0x110"]

# A kernel that waits in each step for its load: 1 instruction, a step of 3, then 2.
alone = ["MOV R1, RZ", "LDG.E R2, [R1]", "FADD R3, R3, R2", "@P0 BRA 0x10",
         "STG.E [R1], R3", "EXIT", "BRA 0x60"]


def listing(code):
    lines = []
    for number, text in enumerate(code):
        lines.append(f"        /*{16 * number:04x}*/    {text} ;    /* 0x000000ff00017b82 */")
    return "\n".join(lines) + "\n"


class Counts(unittest.TestCase):
    def setUp(self):
        self.code = kernel_cycles.parsed(listing(tile))

    def test_a_tile_is_its_way_in_its_steps_and_its_way_out(self):
        counted = kernel_cycles.tile_of(self.code, 7)
        self.assertEqual(sum(times for _, times in counted), 2 + 7 * 4 + 4)

    def test_walks_draw_words_in_every_second_step_and_are_sorted_before(self):
        words = ["IMAD.WIDE.U32 R8, R9, R10, RZ"] * 20
        step = ["@P5 BRA 0x%x", *words, "LDS R4, [R1]", "FADD R3, R3, R4", "@P0 BRA 0x%x"]
        sort = ["ATOMS.ADD R6, [R7], R5", "I2F R5, R5", "@P6 BRA 0x20"]  # I2F: a word drawn again
        code = ["S2R R0, SR_TID.X", "BAR.SYNC 0x0", "@P4 BRA 0x40", *sort, "MOV R3, RZ",
                *step, "STG.E desc[UR4][R2.64], R3", "@!P2 BRA 0x60", "EXIT"]
        head = 7
        code[head] %= 16 * (head + 21)
        code[head + 23] %= 16 * head
        parsed = kernel_cycles.parsed(listing(code))
        self.assertEqual(len(kernel_cycles.step_of(parsed)), 24)
        self.assertEqual(len(kernel_cycles.step_of(parsed, drawn=False)), 4)
        counted = kernel_cycles.tile_of(parsed, 7, walks=True)
        # The head, four steps with words and three without, and the way out.
        self.assertEqual(sum(times for _, times in counted), 1 + 4 * 24 + 3 * 4 + 2)
        code[4] = "MOV R5, R5"
        code[5] = "@P6 BRA 0x30"
        counted = kernel_cycles.tile_of(kernel_cycles.parsed(listing(code)), 7, walks=True)
        self.assertEqual(sum(times for _, times in counted), 3 + 1 + 4 * 24 + 3 * 4 + 2)

    def test_calls_are_left_out(self):
        texts = [c.text for c, _ in kernel_cycles.tile_of(self.code, 7)]
        self.assertFalse([text for text in texts if "CALL" in text or "MOV R7" in text])

    def test_each_unit_counts_its_instructions(self):
        cycles = kernel_cycles.cycles_of(kernel_cycles.tile_of(self.code, 7))
        self.assertEqual(cycles["issue"], 34 / 4)
        self.assertAlmostEqual(cycles["LSU"], 1 + 7 * 3.54 + 1)
        self.assertAlmostEqual(cycles["FMA"], 7 / 4 + 7 / 2)
        self.assertEqual(cycles["ALU"], 1 / 2)
        self.assertEqual(cycles["XU"], 2)

    def lsu_cycles(self, kernel, *texts):
        step = kernel_cycles.parsed(listing(texts))
        shared = kernel_cycles.shared_memory_of(kernel, step)
        return kernel_cycles.cycles_of([(c, 1) for c in step], shared)["LSU"]

    def test_what_shared_memory_costs_depends_on_the_width(self):
        for text, cycles in [("LDS R1, [R2]", 3.54), ("LDS.U16 R1, [R2]", 3.54),
                             ("LDS.64 R4, [R2]", 6.15), ("LDS.128 R4, [R2]", 10),
                             ("ATOMS.POPC.INC.32 RZ, [R2]", 3.54),
                             ("ATOMS.ADD R1, [R2], R3", 32), ("STS [R2], R1", 1)]:
            with self.subTest(text):
                self.assertEqual(self.lsu_cycles("score_walks_in_plain_rows", text), cycles)

    def test_copies_have_no_conflicts_but_edges_of_walks_have_one_copy(self):
        wide, pair = "LDS.128 R4, [R2]", "LDS.64 R4, [R2]"
        self.assertEqual(self.lsu_cycles("score_replicated_reference", wide, pair), 4 + 2)
        walks = "score_walks_in_replicated_rows"
        self.assertEqual(self.lsu_cycles(walks, wide, pair, pair), 4 + 2 * 6.15)
        self.assertAlmostEqual(self.lsu_cycles(walks, wide, pair, pair, pair, pair),
                               4 + 2 * 6.15 + 2 * 2)

    def test_a_bound_counts_the_copies_of_its_kernel(self):
        step = kernel_cycles.parsed(listing(["LDS.128 R4, [R2]"] * 4))
        rows = kernel_cycles.bound_of("score_walks_in_plain_rows", step, 24)
        copies = kernel_cycles.bound_of("score_walks_in_replicated_rows", step, 24)
        self.assertEqual((rows[1], copies[1]), ("LSU", "LSU"))
        self.assertAlmostEqual(copies[0] / rows[0], 10 / 4)

    def test_of_two_ways_the_longer_counts(self):
        code = list(tile)
        code[11] = "MOV R0, R1"
        counted = kernel_cycles.tile_of(kernel_cycles.parsed(listing(code)), 1)
        self.assertEqual(sum(times for _, times in counted), 2 + 4 + 7)

    def test_choices_of_the_papers_convention_decide_branches(self):
        # The division is for another convention: the word at 0x230 is 0.
        code = tile[:8] + ["ULDC UR4, c[0x0][0x230]", "ISETP.NE.AND P1, PT, RZ, UR4, PT",
                           "@!P1 BRA 0xd0", "MUFU.RCP R4, R3", "FMUL R4, R4, R3"] + tile[13:]
        texts = [c.text for c, _ in kernel_cycles.tile_of(kernel_cycles.parsed(listing(code)), 1)]
        self.assertNotIn("MUFU.RCP R4, R3", texts)
        code[8] = "ULDC UR4, c[0x0][0x300]"
        texts = [c.text for c, _ in kernel_cycles.tile_of(kernel_cycles.parsed(listing(code)), 1)]
        self.assertIn("MUFU.RCP R4, R3", texts)

    def test_totals_count_the_loop_without_masks(self):
        code = kernel_cycles.parsed(listing(["LDG.E R1, [R2]", "LDG.E R3, [R2]", "@P0 BRA 0x40",
                                             "LDG.E.U8 R4, [R2]", "FADD R1, R1, R3",
                                             "@P1 BRA 0x0", "EXIT"]))
        self.assertEqual([c.text[:5] for c in kernel_cycles.values_of(code, 2)],
                         ["LDG.E", "LDG.E", "BRA 0", "FADD ", "BRA 0"])
        self.assertEqual(kernel_cycles.values_of(code, 3), [])

    def test_code_without_a_loop_has_no_step(self):
        code = kernel_cycles.parsed(listing(["MOV R0, R1", "EXIT", "BRA 0x20"]))
        self.assertEqual(kernel_cycles.step_of(code), [])
        self.assertEqual(kernel_cycles.tile_of(code, 7), [])


class WarpAlone(unittest.TestCase):
    def cycles(self, code, steps=2, memory=100):
        work = kernel_latency.Work("", "kernel", steps, 12)
        codes = {"kernel": kernel_cycles.parsed(listing(code))}
        return kernel_latency.counted(work, codes, memory)

    def test_a_kernel_without_a_loop_has_no_step(self):
        # MOV 0; LDG 5, FADD 105; the way on which nothing ends early.
        code = ["MOV R2, R1", "@P0 EXIT", "LDG.E R3, desc[UR4][R2.64]", "FADD R3, R3, R2", "EXIT"]
        self.assertEqual(self.cycles(code, steps=0), (0, 107))
        self.assertIsNone(kernel_latency.counted(kernel_latency.Work("", "none", 0, 12), {}, 100))

    def test_a_loop_at_the_end_is_left_out(self):
        ended = [*alone[:-1], "@P3 EXIT", "MOV R1, R1", "@P1 BRA %#x" % (16 * len(alone)), "EXIT"]
        self.assertIsNotNone(self.cycles(ended))

    def issued(self, *code):
        return kernel_latency.issue_cycles(kernel_cycles.parsed(listing(code)), 100)

    def test_a_step_waits_for_its_load_and_its_branch(self):
        # MOV 0; LDG 5, FADD 105, BRA 106; LDG 114, FADD 214, BRA 215; STG 223, EXIT 224.
        self.assertEqual(self.cycles(alone), (109, 225))
        self.assertEqual(self.cycles(alone, steps=5), (109, 225 + 3 * 109))

    def test_nobody_waits_for_a_load_that_is_not_read(self):
        # MOV 0; LDG 5, FADD 6, BRA 7; LDG 15, FADD 16, BRA 17; STG 25, EXIT 26.
        code = [text.replace("R3, R3, R2", "R3, R3, R5") for text in alone]
        self.assertEqual(self.cycles(code), (10, 27))

    def test_what_is_read_a_step_later_costs_no_more_than_the_load(self):
        # FADD reads what the step before has loaded: FADD 5, LDG 6, BRA 7; FADD 106, LDG 107, …
        code = [alone[0], alone[2], alone[1], *alone[3:]]
        self.assertEqual(self.cycles(code, steps=3).step, 101)

    def test_a_kernel_without_a_loop_has_no_cycles(self):
        self.assertIsNone(self.cycles(["MOV R0, R1", "EXIT", "BRA 0x20"]))
        self.assertIsNone(kernel_latency.counted(kernel_latency.works[0], {}, 100))

    def test_each_unit_has_its_latency(self):
        for producer, cycles in [("FADD R1, R2, R3", 4), ("IMAD R1, R2, R3, R4", 5),
                                 ("VIADD R1, R2", 5), ("MUFU.RCP R1, R2", 24),
                                 ("SHFL.UP PT, R1, R2, 0x1, 0x1c00", 24), ("LDS R1, [R2]", 24),
                                 ("LDC R1, c[0x0][0x210]", 24), ("LDG.E R1, [R2]", 100),
                                 ("REDUX.OR R1, R2", 24), ("ATOMS.ADD R1, [R2], R3", 24)]:
            with self.subTest(producer):
                self.assertEqual(self.issued(producer, "FADD R9, R1, R8"), [0, cycles])

    def test_a_unit_is_busy_with_the_instruction_before(self):
        for text, cycles in [("FADD R1, R2, R3", 1), ("VIADD R1, R2", 2), ("MUFU.RCP R1, R2", 8),
                             ("STG.E [R2], R1", 4), ("EXIT", 1), ("BRA 0x0", 8)]:
            with self.subTest(text):
                self.assertEqual(self.issued(text, text), [0, cycles])

    def test_operands_that_are_written_are_waited_for(self):
        for producer, consumer in [
                ("LDG.E.128 R4, [R2]", "FADD R9, R7, R8"),
                ("LDG.E R5, [R2]", "LDG.E R9, desc[UR4][R4.64]"),
                ("LDG.E R5, [R2]", "STG.E.64 desc[UR4][R2.64], R4"),
                ("LDG.E R5, [R2]", "IMAD.WIDE.U32 R8, R2, 0x4, R4"),
                ("LDG.E R5, [R2]", "DADD R8, R4, R2"),
                ("LDG.E R5, [R2]", "LDC R9, c[0x0][R5+0x210]"),
                ("LDG.E R5, [R2]", "R2P PR, R5, 0xe")]:
            with self.subTest(consumer):
                self.assertEqual(self.issued(producer, consumer), [0, 100])

    def test_predicates_carries_and_uniform_registers_are_waited_for(self):
        for producer, consumer in [
                ("ISETP.NE.AND P1, PT, R2, RZ, PT", "@!P1 FADD R9, R8, R7"),
                ("ISETP.NE.AND PT, P1, R2, RZ, PT", "FSEL R9, R8, R7, !P1"),
                ("IADD3 R4, P1, R2, R3, RZ", "IMAD.X R5, R5, R6, RZ, P1"),
                ("R2P PR, R2, 0x2", "@P1 FADD R9, R8, R7"),
                ("LOP3.LUT P1, R9, R2, 0x1, RZ, 0xc0, !PT", "P2R R8, PR, RZ, 0x7f"),
                ("ULDC.64 UR4, c[0x0][0x208]", "FADD R9, R8, UR5"),
                ("ULDC.64 UR4, c[0x0][0x208]", "LDG.E R9, desc[UR4][R2.64]")]:
            with self.subTest(consumer):
                cycles = self.issued(producer, consumer)
                self.assertEqual(cycles, [0, 5])

    def test_what_is_read_is_not_taken_for_written(self):
        for consumer in ["STG.E [R2], R8", "FCHK P1, R8, R2", "VOTE.ANY R9, PT, P2",
                         "WARPSYNC R8", "ISETP.NE.AND P1, PT, R8, RZ, P2"]:
            with self.subTest(consumer):
                cycles = self.issued(consumer, "@P2 FADD R9, R8, R7")
                self.assertLessEqual(cycles[1], 1)

    def test_of_two_writes_with_opposite_predicates_the_later_result_counts(self):
        cycles = self.issued("@P0 LDG.E R1, [R2]", "@!P0 FADD R1, R3, R4", "FADD R9, R1, R8")
        self.assertEqual(cycles, [0, 1, 100])
        cycles = self.issued("@P0 LDG.E R1, [R2]", "FADD R1, R3, R4", "FADD R9, R1, R8")
        self.assertEqual(cycles, [0, 1, 5])


class Table(unittest.TestCase):
    """Writes the table of a made-up build with one kernel, and compares others with it."""
    symbol, code = symbol, tile

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ["scripts/kernel-table", "scripts/kernel_cycles.py",
                     "scripts/kernel_latency.py", "kernels/sweep/quantities.hpp"]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, self.root / name)
        launch = self.root / "kernels" / "launch"
        launch.mkdir(parents=True)
        (launch / "tiles.cu").touch()
        self.objects = self.root / "build" / "kernels" / "launch"
        self.objects.mkdir(parents=True)
        (self.objects / "tiles.cu.o").touch()
        self.bin = self.root / "bin"
        self.bin.mkdir()
        (self.bin / "c++filt").symlink_to(shutil.which("c++filt"))
        self.build_of(self.code)
        self.run_table("--write")

    def build_of(self, code, registers=99, spills=0):
        text = report.format(symbol=self.symbol, registers=registers, spills=spills)
        (self.objects / "tiles.cu.o.ptxas").write_text(text)
        (self.root / "listing").write_text(f"\t\tFunction : {self.symbol}\n" + listing(code))
        self.tool = self.bin / "cuobjdump"
        self.tool.write_text(f"#!/bin/sh\nexec /bin/cat {self.root / 'listing'}\n")
        self.tool.chmod(0o755)

    def run_table(self, *options, nvcc="13.0"):
        command = [sys.executable, self.root / "scripts" / "kernel-table",
                   self.root / "build", "--nvcc", nvcc, "--cuobjdump", self.tool, *options]
        return subprocess.run(command, capture_output=True, text=True,
                              env={"PATH": str(self.bin)})

    def assert_check(self, code, text=""):
        done = self.run_table("--check")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(text, done.stdout)


class Check(Table):
    def test_the_same_build_passes(self):
        self.assert_check(0)

    def test_a_longer_step_fails(self):
        code = tile[:5] + ["FADD R3, R3, R4"] + tile[5:]
        self.build_of([t.replace("0xd0", "0xe0") for t in code])
        self.assert_check(1, "5 instructions in the main loop instead of 4")

    def test_a_longer_way_out_fails(self):
        self.build_of(tile[:13] + ["MOV R4, R4"] + tile[13:])
        self.assert_check(1, "cycles of ALU instead of")

    def test_a_shorter_step_passes(self):
        self.build_of([t.replace("IMAD R1, R1, R5, R6", "NOP") for t in tile])
        self.assert_check(0)

    def test_more_registers_fail(self):
        self.build_of(tile, registers=100)
        self.assert_check(1, "100 registers instead of 99")

    def test_spills_fail(self):
        self.build_of(tile, spills=4)
        self.assert_check(1, "4 bytes of spills")

    def test_a_kernel_whose_loop_is_not_found_fails(self):
        self.build_of(["MOV R0, R1", "EXIT"])
        self.assert_check(1, "the main loop is not found")

    def test_a_row_of_a_work_does_not_vanish_unseen(self):
        table = self.root / "kernels" / "kernel_table.md"
        before = table.read_text()
        self.build_of(["MOV R0, R1", "EXIT"])
        done = self.run_table("--write")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its loop is not found; correct scripts/kernel_cycles.py", done.stdout)
        self.assertEqual(table.read_text(), before)

    def test_a_disassembler_without_its_helper_is_none(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.dict(os.environ, PATH=folder):
            place = pathlib.Path(folder)
            (place / "cuobjdump").touch()
            self.assertIsNone(kernel_cycles.disassembler([place]))
            (place / "nvdisasm").touch()
            self.assertEqual(kernel_cycles.disassembler([place]), str(place / "cuobjdump"))

    def test_without_a_disassembler_the_check_is_skipped(self):
        self.tool = ""
        self.assert_check(77, "cycles were not compared")

    def test_without_a_disassembler_more_registers_fail_all_the_same(self):
        self.build_of(tile, registers=100)
        self.tool = ""
        self.assert_check(1, "100 registers instead of 99")

    def test_without_a_disassembler_the_counts_of_the_table_stay(self):
        before = (self.root / "kernels" / "kernel_table.md").read_text()
        self.tool = ""
        self.run_table("--write")
        self.assertEqual((self.root / "kernels" / "kernel_table.md").read_text(), before)

    def test_another_nvcc_is_skipped(self):
        done = self.run_table("--check", nvcc="13.1")
        self.assertEqual(done.returncode, 77)

    def test_a_source_that_the_build_wrote_counts(self):
        source = self.root / "kernels" / "launch" / "tiles.cu"
        source.rename(self.objects / "tiles.cu")
        self.build_of(self.code, registers=100)
        self.assert_check(1, "100 registers instead of 99")

    def test_what_is_left_of_a_deleted_source_does_not_count(self):
        (self.root / "kernels" / "launch" / "tiles.cu").unlink()
        self.assert_check(77, "no sm_90 kernels")

    def test_a_build_without_kernels_is_skipped(self):
        (self.objects / "tiles.cu.o.ptxas").unlink()
        self.assert_check(77, "no sm_90 kernels")


class CheckOfWarps(Table):
    symbol, code = warp_symbol, [text.replace("R3, R3, R2", "R3, R3, R5") for text in alone]

    def row(self):
        text = (self.root / "kernels" / "kernel_table.md").read_text()
        return next(line for line in text.splitlines() if line.startswith("| small rollouts"))

    def test_the_same_build_passes(self):
        self.assert_check(0)

    def test_a_dependency_fails_that_adds_no_instruction(self):
        self.build_of(alone)
        self.assert_check(1, "cycles of a step from L1 instead of 10")

    def test_a_longer_way_in_fails(self):
        self.build_of(["MOV R4, RZ"] + [text.replace("0x10", "0x20") for text in self.code])
        self.assert_check(1, "cycles in all from L2 instead of")

    def test_a_kernel_that_is_no_longer_counted_fails(self):
        self.build_of(["MOV R0, R1", "EXIT"])
        self.assert_check(1, "in the table, but not counted in this build")

    def test_the_table_says_cycles_and_times_and_which_is_over_the_goal(self):
        # 5 cycles before, 43 steps of 10, 1 behind the stall of the last branch and EXIT.
        self.assertIn("| 10 | 10 | 437 | 437 | 3.22 | 3.22 | 12 |  |", self.row())
        self.build_of([alone[0], alone[1], "LDG.E R1, [R2]"] + alone[3:])
        self.run_table("--write")
        # 5 cycles before, 43 steps of two loads, each of which needs the one before, STG and EXIT.
        self.assertIn("| 70 | 500 | 3017 | 21507 | 4.52 | 13.86 | 12 | 13.86 from L2 |", self.row())

    def test_without_a_disassembler_the_cycles_of_the_table_stay(self):
        before = self.row()
        self.tool = ""
        self.run_table("--write")
        self.assertEqual(self.row(), before)


if __name__ == "__main__":
    unittest.main()
