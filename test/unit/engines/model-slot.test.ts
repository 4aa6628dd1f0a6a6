import { expect, test, vi } from 'vitest'
import type { EngineContext } from '../../../src/engines/engine-definition.ts'
import { ModelSlot, type ModelLoader } from '../../../src/engines/model-slot.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { all, config, finish, say, settle } from './support.ts'

function slotWith(more: Partial<ModelLoader<string>> = {}) {
  const told: string[] = []
  const slot = new ModelSlot<string>({
    keyOf: ({ model }) => model,
    async load({ model }) {
      told.push(`load ${model}`)
      return model
    },
    async unload(model) {
      told.push(`unload ${model}`)
    },
    isFatal: (thrown) => thrown === 'fatal',
    ...more,
  })
  return { slot, told }
}

function context(signal: AbortSignal = new AbortController().signal): EngineContext {
  return { signal, progress: () => undefined }
}

async function* speak(model: string): AsyncGenerator<readonly StreamPart[]> {
  yield say(model)
  await settle()
  yield finish
}

test('turns run one at a time, and another model replaces the first', async () => {
  const { slot, told } = slotWith()
  const turn = (model: string): Promise<StreamPart[]> => {
    const work = async function* (loaded: string): AsyncGenerator<readonly StreamPart[]> {
      told.push(`begin ${loaded}`)
      yield* speak(loaded)
      told.push(`end ${loaded}`)
    }
    return all(slot.turn({ ...config, model }, context(), work))
  }
  await Promise.all([turn('a'), turn('a'), turn('b')])
  expect(told.join(', ')).toBe(
    'load a, begin a, end a, begin a, end a, unload a, load b, begin b, end b',
  )
  await slot.dispose()
  expect(told.at(-1)).toBe('unload b')
})

test('an aborted load that hangs delays no turn, and its late model is released', async () => {
  let finishLate: (model: string) => void = () => undefined
  let loads = 0
  const { slot, told } = slotWith({
    load: ({ model }) => {
      loads += 1
      if (loads > 1) return Promise.resolve(model)
      return new Promise((resolve) => {
        finishLate = resolve
      })
    },
  })
  const stop = new AbortController()
  const hanging = slot.prepare(config, context(stop.signal))
  const waiting = all(slot.turn(config, context(), speak))
  await settle()
  stop.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'aborted' })
  expect((await waiting).at(-1)).toEqual(finish[0])
  finishLate('late')
  await settle()
  expect(told).toEqual(['unload late'])
})

test('a failed load is retried, and a fatal error in a turn drops the model', async () => {
  let loads = 0
  const { slot, told } = slotWith({
    load: ({ model }) => {
      loads += 1
      return loads === 1 ? Promise.reject(new Error('offline')) : Promise.resolve(model)
    },
  })
  await expect(slot.prepare(config, context())).rejects.toThrow('offline')
  // oxlint-disable-next-line require-yield -- It fails before it says anything.
  const crash = async function* (): AsyncGenerator<readonly StreamPart[]> {
    throw 'fatal'
  }
  await expect(all(slot.turn(config, context(), crash))).rejects.toMatchObject({
    message: 'fatal',
    retryable: true,
  })
  expect(told).toEqual(['unload tiny'])
  await slot.prepare(config, context())
  expect(loads).toBe(3)
})

test('a signal that lives for many turns has one listener', async () => {
  const { slot } = slotWith()
  const { signal } = new AbortController()
  const listen = vi.spyOn(signal, 'addEventListener')
  for (let turn = 0; turn < 20; turn++) await all(slot.turn(config, context(signal), speak))
  expect(listen).toHaveBeenCalledTimes(1)
})
