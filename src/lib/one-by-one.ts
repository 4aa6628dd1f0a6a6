export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>

/** Does what it is given one after the other, whatever comes of it. */
export function oneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
