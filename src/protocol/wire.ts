import { type Calls, callsOf, type CallTable } from './call.ts'
import { isErrorData, OffstageError, toErrorData } from './error.ts'

/**
 * The calls of a table as one side of the wire exposes them: an `OffstageError` rejects as plain
 * `ErrorData`. Of an Error, Comlink passes on no more than name and message.
 */
export function served<Table extends CallTable<Table>>(
  table: Table,
  answer: (name: keyof Table) => (argument: never) => unknown,
): Calls<Table> {
  return callsOf(table, (name) => async (argument: never) => {
    try {
      return await answer(name)(argument)
    } catch (thrown) {
      const foreign = thrown instanceof Error && !OffstageError.is(thrown)
      throw foreign ? thrown : toErrorData(thrown)
    }
  })
}

/** The same calls at the other side: plain `ErrorData` rejects as the `OffstageError` that it was. */
export function asked<Table extends CallTable<Table>>(table: Table, remote: unknown): Calls<Table> {
  return callsOf(table, (name) => async (argument: never) => {
    try {
      return await (remote as Calls<Table>)[name](argument)
    } catch (thrown) {
      throw isErrorData(thrown) ? OffstageError.fromData(thrown) : thrown
    }
  })
}
