import { isErrorData, OffstageError, toErrorData } from './error.ts'

type Method = (...command: never[]) => Promise<unknown>

/**
 * An interface as one side of the wire exposes it: its `OffstageError`s reject as plain `ErrorData`.
 * Of an Error, Comlink passes on no more than name and message.
 */
export function withPlainErrors<Api extends object>(api: Api): Api {
  const methods = Object.entries(api as Record<string, Method>).map(([name, method]) => [
    name,
    async (...command: never[]) => {
      try {
        return await method(...command)
      } catch (thrown) {
        const foreign = thrown instanceof Error && !OffstageError.is(thrown)
        throw foreign ? thrown : toErrorData(thrown)
      }
    },
  ])
  return Object.fromEntries(methods) as Api
}

/** The interface as the other side calls it: plain `ErrorData` rejects as the `OffstageError` that it was. */
export function withRevivedErrors<Api extends object>(remote: Api): Api {
  return new Proxy(remote, {
    get:
      (_target, name) =>
      async (...command: never[]) => {
        try {
          return await (remote as Record<PropertyKey, Method>)[name]?.(...command)
        } catch (thrown) {
          throw isErrorData(thrown) ? OffstageError.fromData(thrown) : thrown
        }
      },
  })
}
