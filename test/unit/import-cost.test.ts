import { afterEach, expect, test, vi } from 'vitest'

/** No table of words or formats is in so few. */
const A_FEW = 3

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['the page entry', () => import('../../src/index.ts')],
  ['the page tools', () => import('../../src/page-tools/index.ts')],
  ['the ACTION reader', () => import('../../src/action/index.ts')],
  ['the worker', () => import('../../src/worker/start-worker.ts')],
  ['the chat', () => import('../../src/ui/chat/chat-class.ts')],
])('when %s is imported, only a few regular expressions are built', async (_name, load) => {
  vi.resetModules()
  const built: string[] = []
  const record = (source: string): void => {
    // Below `record` and the trap that calls it.
    const caller = new Error().stack?.split('\n')[3] ?? ''
    if (/[\\/]src[\\/]/.test(caller) && !caller.includes('node_modules')) built.push(source)
  }
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, args: [string], made: NewableFunction) {
        record(args[0])
        return Reflect.construct(target, args, made) as RegExp
      },
      apply(target, self, args: [string]) {
        record(args[0])
        return Reflect.apply(target, self, args) as RegExp
      },
    }),
  )
  await load()
  expect(built.slice(A_FEW)).toEqual([])
})
