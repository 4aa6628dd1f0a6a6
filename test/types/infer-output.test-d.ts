import * as v from 'valibot'
import { expectTypeOf, test } from 'vitest'
import { computed } from 'vue'
import { z } from 'zod'
import {
  type CompositeTool,
  defineTool,
  type JsonValue,
  pending,
  type Tool,
} from '../../src/index.ts'
import { useTool } from '../../src/ui/react/index.ts'
import { useTool as useToolInSvelte } from '../../src/ui/svelte/index.ts'
import { useTool as useToolInVue } from '../../src/ui/vue/index.ts'

interface Todo {
  readonly id: number
  readonly title: string
  readonly note?: string
  readonly due: Date
  readonly parts: readonly Todo[]
}
declare const todos: Todo[]

const base = {
  name: 'delete_todo',
  description: 'Deletes a to-do.',
  inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
} as const

const execute = ({ id }: { id: number }): { index: number; todo: Todo } => ({
  index: id,
  todo: todos[id]!,
})

test('undo gets the result of execute as JSON, with every kind of schema', () => {
  const tool = defineTool({
    ...base,
    execute: ({ id }) => {
      const [todo] = todos.splice(id, 1)
      return { index: id, todo: todo! }
    },
    undo: (_input, { index, todo }) => {
      expectTypeOf(index).toEqualTypeOf<number>()
      expectTypeOf(todo.title).toEqualTypeOf<string>()
      expectTypeOf(todo.note).toEqualTypeOf<string | undefined>()
      expectTypeOf(todo.due).toEqualTypeOf<JsonValue>()
      expectTypeOf(todo.parts[0]!.parts[0]!.id).toEqualTypeOf<number>()
    },
  })
  expectTypeOf(tool).toEqualTypeOf<
    Tool<'delete_todo', { id: number }, { index: number; todo: Todo }>
  >()
  defineTool({
    ...base,
    inputSchema: z.object({ id: z.number() }),
    execute: async ({ id }) => ({ index: id }),
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<{ index: number }>(),
  })
  defineTool({
    ...base,
    inputSchema: v.object({ id: v.number() }),
    async execute({ id }) {
      return [id]
    },
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<number[]>(),
  })
})

test('undo gets what toModelOutput returns', () => {
  defineTool({
    ...base,
    execute: ({ id }) => ({ id }),
    toModelOutput: async ({ id }) => id.toFixed(),
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<string>(),
  })
})

test('undo gets any JSON if the type of the result does not tell it', () => {
  defineTool({
    ...base,
    execute: ({ id }) => void id,
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<JsonValue>(),
  })
  defineTool({
    ...base,
    execute: ({ id }) => pending({ resumeToken: `${id}` }),
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<JsonValue>(),
  })
  defineTool({
    ...base,
    execute: ({ id }) => new Map([[id, 1]]),
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<JsonValue>(),
  })
  defineTool({
    ...base,
    undo: (_input, output) => expectTypeOf(output).toEqualTypeOf<JsonValue>(),
    execute: ({ id }) => ({ id }),
  })
})

test('undo may annotate its output', () => {
  defineTool({ ...base, execute, undo: (_input, output: JsonValue) => output })
  defineTool({ ...base, execute, undo: (_input, output: unknown) => output })
  defineTool({ ...base, execute, undo: (_input, { index }: { index: number }) => index })
  defineTool({
    ...base,
    execute,
    undo: (_input, output: string) => output,
    toModelOutput: ({ index }) => `${index}`,
  })
})

test('undo of a composite tool gets the result of run', () => {
  const tool = defineTool({
    ...base,
    run: async ({ id }, { call }) => {
      await call('find', { id })
      return { index: id }
    },
    undo: (_input, { index }) => expectTypeOf(index).toEqualTypeOf<number>(),
  })
  expectTypeOf(tool).toEqualTypeOf<
    CompositeTool<'delete_todo', { id: number }, { index: number }>
  >()
})

test('undo in a component gets the result', () => {
  useTool({
    ...base,
    execute: ({ id }) => ({ index: id, todo: todos[id]! }),
    undo: (_input, { index, todo }) => todos.splice(index, todo.id),
  })
  useToolInVue({ ...base, execute, undo: (_input, { index, todo }) => index + todo.id })
  useToolInSvelte({ ...base, execute, undo: (_input, { index, todo }) => index + todo.id })
  const run = ({ id }: { id: number }): { index: number } => ({ index: id })
  useTool({ ...base, run, undo: (_input, { index }) => index.toFixed() })
  useToolInVue(() => ({ ...base, run, undo: (_input, { index }) => index.toFixed() }))
  useToolInSvelte(() => ({ ...base, run, undo: (_input, { index }) => index.toFixed() }))
})

test('components take tools that were defined elsewhere', () => {
  const tool = defineTool({ ...base, execute })
  const composite = defineTool({ ...base, run: execute })
  const either: Tool | CompositeTool = Math.random() < 0.5 ? tool : composite
  useTool(tool)
  useTool(composite)
  useTool(either)
  useToolInVue(computed(() => composite))
  useToolInVue(() => either)
  useToolInSvelte(composite)
  useToolInSvelte(() => either)
})
