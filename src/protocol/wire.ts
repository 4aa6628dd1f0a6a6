import { type Calls, callsOf, type CallTable } from './call.ts'
import { isErrorData, OffstageError, toErrorData } from './error.ts'

/**
 * Wraps the calls of a table for the side that serves them. An `OffstageError` is thrown as plain `ErrorData`,
 * because Comlink would pass on only an error's name and message.
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

/** Wraps the same calls for the calling side. Plain `ErrorData` is turned back into an `OffstageError`. */
export function asked<Table extends CallTable<Table>>(table: Table, remote: unknown): Calls<Table> {
  return callsOf(table, (name) => async (argument: never) => {
    try {
      return await (remote as Calls<Table>)[name](argument)
    } catch (thrown) {
      throw isErrorData(thrown) ? OffstageError.fromData(thrown) : thrown
    }
  })
}
