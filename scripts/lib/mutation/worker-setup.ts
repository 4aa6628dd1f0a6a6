// Switches on the mutant that the environment names, and notes which ones each test reaches.
import { afterEach, beforeEach } from 'vitest'

/** Numbers of mutants, as bits in Base64. */
declare module '@vitest/runner' {
  interface TaskMeta {
    reached?: string
    /** Reached by an import or a hook, before the first test of the file. */
    reachedBefore?: string
  }
}

interface Mutation {
  (number: number): boolean
  /** The numbers reached since the last call. */
  takeReached(): string
}

const shared = globalThis as { mutation?: Mutation }

shared.mutation ??= createMutation(
  Number(process.env['MUTANT'] ?? -1),
  Number(process.env['MUTANTS']),
)
const { mutation } = shared
let beforeTests: string | undefined

beforeEach(() => {
  beforeTests ??= mutation.takeReached()
  mutation.takeReached()
})
afterEach(({ task }) => {
  task.meta.reached = mutation.takeReached()
  if (beforeTests !== undefined) task.meta.reachedBefore = beforeTests
})

function createMutation(active: number, count: number): Mutation {
  const reached = new Uint8Array(count)
  const mutation = (number: number): boolean => {
    reached[number] = 1
    return number === active
  }
  const takeReached = (): string => {
    const bits = Buffer.alloc(Math.ceil(count / 8))
    for (let number = 0; number < count; number += 1)
      if (reached[number]) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7))
    reached.fill(0)
    return bits.toString('base64')
  }
  return Object.assign(mutation, { takeReached })
}
