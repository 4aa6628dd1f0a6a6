import { type Answers, type Calls, callsOf, type CallTable } from '../../src/protocol/call.ts'

/** Answers a table of calls in a test. Calls without a given answer are rejected. */
export function doubleOf<Table extends CallTable<Table>>(
  table: Table,
  answers: Partial<Answers<Table>>,
): Calls<Table> {
  return callsOf(table, (name) => async (argument: never) => {
    const answer = answers[name]
    if (!answer) throw new Error(`${String(name)} is not asked here.`)
    return answer(argument)
  })
}
