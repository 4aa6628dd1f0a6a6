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
    // @ts-expect-error -- misspelt
    needApproval: true,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- misspelt
    needApproval: true,
    execute: ({ id }) => id,
  })
  useToolInVue({
    ...base,
    // @ts-expect-error -- misspelt
    needApproval: true,
    execute: ({ id }) => id,
  })
  useToolInSvelte({
    ...base,
    // @ts-expect-error -- misspelt
    needApproval: true,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    annotations: {
      // @ts-expect-error -- misspelt
      readonly: true,
    },
    execute: ({ id }) => id,
  })
})

test('a property of the wrong type is blamed, and no other', () => {
  defineTool({
    ...base,
    // @ts-expect-error -- no approval rule
    needsApproval: 'always',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- no approval rule
    needsApproval: 'always',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- not a number
    timeoutMs: '10s',
    execute: ({ id }) => id,
  })
  defineTool({
    name: 'delete_todo',
    description: 'Deletes a to-do.',
    // @ts-expect-error -- no schema
    inputSchema: 'object',
    execute: ({ id }) => id,
  })
  useTool({
    name: 'delete_todo',
    description: 'Deletes a to-do.',
    // @ts-expect-error -- no schema
    inputSchema: 'object',
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- no function
    execute: 'delete',
  })
})

test('a function with the wrong input or result is blamed, and no other', () => {
  useTool({
    ...base,
    // @ts-expect-error -- the schema has a number
    execute: ({ id }: { id: string }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- not a target
    describe: ({ id }) => `to-do ${id}`,
    execute: ({ id }) => id,
  })
  useTool({
    ...base,
    // @ts-expect-error -- a misspelt result
    reconcile: async () => ({ happend: true }),
    execute: ({ id }) => id,
  })
  defineTool({
    ...base,
    // @ts-expect-error -- not a text
    consentKey: ({ id }) => id,
    run: async ({ id }, { call }) => call('find', { id }),
  })
  useTool({
    ...base,
    // @ts-expect-error -- not a text
    consentKey: ({ id }) => id,
    run: async ({ id }, { call }) => call('find', { id }),
  })
})

test('a property of the other kind of tool is blamed, and no other', () => {
  defineTool({
    ...base,
    run: ({ id }) => id,
    // @ts-expect-error -- only for plain tools
    reconcile: () => null,
  })
  useTool({
    ...base,
    run: ({ id }) => id,
    // @ts-expect-error -- only for plain tools
    reconcile: () => null,
  })
  useTool({
    ...base,
    // @ts-expect-error -- only for composite tools
    version: '1',
    execute: ({ id }) => id,
  })
  // @ts-expect-error -- has both functions
  useTool({ ...base, execute: ({ id }) => id, run: ({ id }) => id })
})
