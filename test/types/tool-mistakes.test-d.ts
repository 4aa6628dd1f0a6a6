import { test } from 'vitest'
import { defineTool } from '../../src/index.ts'
import { useTool } from '../../src/ui/react/index.ts'
import { useTool as useToolInSvelte } from '../../src/ui/svelte/index.ts'
import { useTool as useToolInVue } from '../../src/ui/vue/index.ts'

const base = {
  name: 'delete_todo',
  description: 'Deletes a to-do.',
  inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
} as const

// An expected error counts only in the line below its comment, and all other lines must have none.

test('a misspelt property is blamed, and no other', () => {
  defineTool({
    ...base,
    // @ts-expect-error
    needApproval: true,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    needApproval: true,
    execute: ({ id }) => id,
  })
  useToolInVue({
    ...base,
    // @ts-expect-error
    needApproval: true,
    execute: ({ id }) => id,
  })
  useToolInSvelte({
    ...base,
    // @ts-expect-error
    needApproval: true,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    annotations: {
      // @ts-expect-error
      readonly: true,
    },
    execute: ({ id }) => id,
  })
})

test('a property of the wrong type is blamed, and no other', () => {
  defineTool({
    ...base,
    // @ts-expect-error
    needsApproval: 'always',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    needsApproval: 'always',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    timeoutMs: '10s',
    execute: ({ id }) => id,
  })
  defineTool({
    name: 'delete_todo',
    description: 'Deletes a to-do.',
    // @ts-expect-error
    inputSchema: 'object',
    execute: ({ id }) => id,
  })
  useTool({
    name: 'delete_todo',
    description: 'Deletes a to-do.',
    // @ts-expect-error
    inputSchema: 'object',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    execute: 'delete',
  })
})

test('a function with the wrong input or result is blamed, and no other', () => {
  useTool({
    ...base,
    // @ts-expect-error
    execute: ({ id }: { id: string }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    describe: ({ id }) => `to-do ${id}`,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error
    reconcile: async () => ({ happend: true }),
    execute: ({ id }) => id,
  })
  defineTool({
    ...base,
    // @ts-expect-error
    consentKey: ({ id }) => id,
    run: async ({ id }, { call }) => call('find', { id }),
  })
  useTool({
    ...base,
    // @ts-expect-error
    consentKey: ({ id }) => id,
    run: async ({ id }, { call }) => call('find', { id }),
  })
})

test('a property of the other kind of tool is blamed, and no other', () => {
  defineTool({
    ...base,
    run: ({ id }) => id,
    // @ts-expect-error
    reconcile: () => null,
  })
  useTool({
    ...base,
    run: ({ id }) => id,
    // @ts-expect-error
    reconcile: () => null,
  })
  useTool({
    ...base,
    // @ts-expect-error
    version: '1',
    execute: ({ id }) => id,
  })
  // @ts-expect-error -- has both functions
  useTool({ ...base, execute: ({ id }) => id, run: ({ id }) => id })
})
