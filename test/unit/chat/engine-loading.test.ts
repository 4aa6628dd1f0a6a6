import { afterEach, expect, test, vi } from 'vitest'
import type { Agent } from '../../../src/index.ts'
import { formatLoading } from '../../../src/ui/chat/parts/engine-loading.ts'
import { EnvironmentController, isLoaded } from '../../../src/ui/chat/environment-controller.ts'

const shown = (loaded?: number, total?: number) =>
  formatLoading(
    {
      model: 'm',
      ...(loaded !== undefined && { loaded }),
      ...(total !== undefined && { total }),
    },
    'en',
  )

test.each([
  ['a share', shown(0.25, 1), { ratio: 0.25, percent: '25%' }],
  ['bytes', shown(3e6, 12e6), { ratio: 0.25, percent: '25%', bytes: '3 MB / 12 MB' }],
  ['large ones', shown(1.5e9, 3e9), { ratio: 0.5, percent: '50%', bytes: '1.5 GB / 3 GB' }],
  ['bytes of nobody knows how many', shown(45_000), { bytes: '45 kB' }],
  ['a total of nothing', shown(0, 0), {}],
  ['more than all', shown(5, 4), { ratio: 1, percent: '100%', bytes: '0.005 kB / 0.004 kB' }],
  ['words only', shown(), {}],
])('%s', (_name, what, expected) => {
  expect(what).toEqual(expected)
})

test('only complete progress counts as loaded', () => {
  expect(isLoaded({ model: 'm', loaded: 1, total: 1 })).toBe(true)
  expect(isLoaded({ model: 'm', loaded: 0.99, total: 1 })).toBe(false)
  expect(isLoaded({ model: 'm', text: 'Compiling' })).toBe(false)
})

afterEach(() => vi.unstubAllGlobals())

test('a model that loaded while the element was out of the page is no longer shown as loading', () => {
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  const listeners = new Set<readonly [string, (event: object) => void]>()
  const agent = {
    requirePerson: () => undefined,
    conversations: { subscribe: () => () => undefined },
    on(type: string, listener: (event: object) => void) {
      const entry = [type, listener] as const
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  } as unknown as Agent
  const emit = (type: string, event: object): void => {
    for (const [each, listener] of listeners) if (each === type) listener(event)
  }
  const around = new EnvironmentController({
    addController: () => undefined,
    requestUpdate: () => undefined,
  } as unknown as ConstructorParameters<typeof EnvironmentController>[0])
  around.hostConnected()
  around.watch(agent)
  emit('engine-progress', { model: 'm', loaded: 1, total: 10 })
  expect(around.current(undefined).loading).toMatchObject({ model: 'm' })
  around.hostDisconnected()
  // Nobody listens.
  emit('engine-progress', { model: 'm', loaded: 10, total: 10 })
  emit('status', { status: 'idle' })
  around.hostConnected()
  expect(around.current(undefined).loading).toBeNull()
  around.hostDisconnected()
})
