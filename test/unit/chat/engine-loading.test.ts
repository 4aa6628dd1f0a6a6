import { expect, test } from 'vitest'
import { loadingShown } from '../../../src/ui/chat/parts/engine-loading.ts'
import { isLoaded } from '../../../src/ui/chat/environment-controller.ts'

const shown = (loaded?: number, total?: number) =>
  loadingShown(
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
