import type { ErrorCode } from './error.ts'

declare const types: unique symbol

/**
 * A row of a table of calls. `Codes` are those that its answer may be an error with: all, where an engine
 * or a function of the app chooses them. Besides these, every call rejects with `disposed` once its agent
 * is, with `worker-lost` when the worker dies, and with `internal` for a fault of this package.
 */
export interface Call<Argument, Result, Codes extends ErrorCode = never> {
  /** No row has it. Both are plain data, apart from ports. */
  readonly [types]?: {
    readonly argument: Argument
    readonly result: Result
    readonly codes: Codes
  }
}

/** What the worker asks of its page. What isn't said of it isn't so. */
export interface Question<Argument, Result, Codes extends ErrorCode = never> extends Call<
  Argument,
  Result,
  Codes
> {
  /**
   * Rejects with `aborted` as soon as the run stops, answered or not: it may wait for a function of
   * the app, which must not keep a run from being stopped.
   */
  readonly stops?: true
}

/** What the page asks of its worker. What isn't said of it isn't so. */
export interface Command<Argument, Result, Codes extends ErrorCode = never> extends Call<
  Argument,
  Result,
  Codes
> {
  /** Asked again of the next worker when this one dies: it may be asked twice. */
  readonly survives?: true
}

type AnyCall = Call<unknown, unknown, ErrorCode>

/** What a table of calls extends. */
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

/** What answers them. */
export type Answers<Table extends CallTable<Table>> = {
  readonly [Name in keyof Table]: (
    argument: ArgumentOf<Table[Name]>,
  ) => ResultOf<Table[Name]> | Promise<ResultOf<Table[Name]>>
}

/** A function for each call of a table; `make` gives one that passes its argument on, whatever it is. */
export function callsOf<Table extends CallTable<Table>>(
  table: Table,
  make: (name: keyof Table) => (argument: never) => Promise<unknown>,
): Calls<Table> {
  const names = Object.keys(table) as (keyof Table)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Calls<Table>
}
