import { expect, test } from 'vitest'
import type { Tool } from '../../../src/client/tools/tool.ts'
import { createPage, pageTools, type PageToolName } from '../../../src/page-tools/index.ts'
import { makeTools as makeActingTools } from '../../../src/page-tools/tools/act-part.ts'
import { makeTools as makeReadingTools } from '../../../src/page-tools/tools/read-part.ts'

const namesOf = (tools: Parameters<typeof pageTools>[0]): string[] =>
  pageTools(tools).map(({ name }) => name)

test('all tools are included unless some are selected', () => {
  expect(namesOf({})).toEqual(namesOf({ tools: 'all' }))
  expect(namesOf({}).toSorted()).toEqual([...new Set(namesOf({}))].toSorted())
  // Each can be asked for by its name.
  const all = namesOf({}) as PageToolName[]
  expect(all.map((name) => namesOf({ tools: [name] }))).toEqual(all.map((name) => [name]))
})

test('the preset read has exactly the read-only tools', () => {
  const readOnly = pageTools().filter(({ annotations }) => annotations?.readOnly)
  expect(namesOf({ tools: 'read' })).toEqual(readOnly.map(({ name }) => name))
})

test('the preset forms has few tools', () => {
  expect(namesOf({ tools: 'forms' }).toSorted()).toEqual([
    'click',
    'fill_form',
    'find',
    'read_page',
    'select_option',
    'set_checked',
    'type_text',
  ])
})

test('an unknown tool name throws an error that lists the known names', () => {
  // @ts-expect-error -- Misspelt.
  expect(() => pageTools({ tools: ['read_pages'] })).toThrow(/"read_pages"\. Use read_page, find,/)
  // @ts-expect-error -- No preset.
  expect(() => pageTools({ tools: 'form' })).toThrow(/"form"\. Use read, forms, all/)
  // @ts-expect-error -- What every object has.
  expect(() => pageTools({ tools: 'toString' })).toThrow(/"toString"/)
})

test('each tool has the same properties as the one that its code makes', () => {
  const propertiesOf = ({ dispose: _dispose, ...tool }: Tool): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(tool).map(([name, value]) => [
        name,
        typeof value === 'function' ? 'function' : value,
      ]),
    )
  const page = createPage()
  const made = [...makeReadingTools(page), ...makeActingTools(page)]
  const byName = new Map(made.map((tool) => [tool.name, tool]))
  const all = pageTools()
  expect(byName.size).toBe(all.length)
  for (const tool of all)
    expect(propertiesOf(tool)).toEqual(propertiesOf(byName.get(tool.name) ?? tool))
})
