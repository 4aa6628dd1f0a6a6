import { type ErrorCode, isErrorData, OffstageError, toErrorData } from './error.ts'

declare const types: unique symbol

/**
 * Row of a table of calls. `Codes`: the error codes that the call may reject with. All codes, if an engine or a
 * function of the app chooses the error. Every call may also reject with `disposed` (its agent is disposed),
 * `worker-lost` (the worker died) or `internal` (a bug in this package).
 */
export interface Call<Argument, Result, Codes extends ErrorCode = never> {
  /** Type information only: no row has this property. Argument and result are plain data, apart from ports. */
  readonly [types]?: {
    readonly argument: Argument
    readonly result: Result
    readonly codes: Codes
  }
}

/** A call from the worker to the page. Omitted options are off. */
export interface CallToPage<Argument, Result, Codes extends ErrorCode = never> extends Call<
  Argument,
  Result,
  Codes
> {
  /**
   * Rejects with `aborted` as soon as the run stops, even without an answer. A slow function of the app must not keep a
   * run from stopping.
   */
  readonly stops?: true
}

/** A call from the page to the worker. Omitted options are off. */
export interface CallToWorker<Argument, Result, Codes extends ErrorCode = never> extends Call<
  Argument,
  Result,
  Codes
> {
  /** If the worker dies, the page repeats the command with the next worker. The command may therefore arrive twice. */
  readonly survives?: true
}

type AnyCall = Call<unknown, unknown, ErrorCode>

/** Constraint for a table of calls. */
export type CallTable<Table> = Record<keyof Table, AnyCall>

export type ArgumentOf<Row extends AnyCall> = NonNullable<Row[typeof types]>['argument']

export type ResultOf<Row extends AnyCall> = NonNullable<Row[typeof types]>['result']

export type CodesOf<Row extends AnyCall> = NonNullable<Row[typeof types]>['codes']

/** The calls of a table as functions of one argument. */
export type Calls<Table extends CallTable<Table>> = {
  readonly [Name in keyof Table]: (
    argument: ArgumentOf<Table[Name]>,
  ) => Promise<ResultOf<Table[Name]>>
}

/** Implementations of a table's calls. */
export type Answers<Table extends CallTable<Table>> = {
  readonly [Name in keyof Table]: (
    argument: ArgumentOf<Table[Name]>,
  ) => ResultOf<Table[Name]> | Promise<ResultOf<Table[Name]>>
}

/**
 * Creates a function for each call of a table. `make` returns the function for a name, which forwards an argument of
 * any type.
 */
export function callsOf<Table extends CallTable<Table>>(
  table: Table,
  make: (name: keyof Table) => (argument: never) => Promise<unknown>,
): Calls<Table> {
  const names = Object.keys(table) as (keyof Table)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Calls<Table>
}

/**
 * Wraps the calls of a table for the side that serves them. An `OffstageError` is thrown as plain `ErrorData`,
 * because Comlink would pass on only an error's name and message.
 */
export function serveCalls<Table extends CallTable<Table>>(
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
export function wrapRemoteCalls<Table extends CallTable<Table>>(
  table: Table,
  remote: unknown,
): Calls<Table> {
  return callsOf(table, (name) => async (argument: never) => {
    try {
      return await (remote as Calls<Table>)[name](argument)
    } catch (thrown) {
      throw isErrorData(thrown) ? OffstageError.fromData(thrown) : thrown
    }
  })
}
