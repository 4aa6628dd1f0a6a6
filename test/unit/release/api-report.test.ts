import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiReport } from '../../../scripts/lib/api-report.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-api-'))
  mkdirSync(path.join(folder, 'inner'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function report(files: Record<string, string>): string {
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text)
  const more = 'more.d.ts' in files ? { './more': { types: './more.d.ts' } } : {}
  return apiReport({ '.': { types: './index.d.ts' }, ...more, './x.js': './x.js' }, folder)
}

const files = {
  'index.d.ts': `export { open } from './inner/open.ts';
export { shut as close } from './inner/open.ts';
export type { Door } from './inner/door.ts';\n`,
  'inner/open.d.ts': `import type { Door, Lock as Bolt } from './door.ts';
/** Opens. */
export declare function open(door: Door): void;
export declare function open(door: Door, bolt: Bolt): void;
export declare function shut(door: Door): void;
export declare function unused(): Hidden;
interface Hidden {
}\n`,
  'inner/door.d.ts': `/** A door. */
export interface Door {
    /** The owner. */
    readonly owner: string; // a name
    Hinge: number;
}
export interface Lock {
    keys: import('./key.ts').Key[];
}
export type Hinge = string;\n`,
  'inner/key.d.ts': 'export type Key = string;\n',
}

test('lists the exports of each entry, sorted and with aliases', () => {
  expect(report(files)).toContain('## offstage\n\n```ts\ntype Door\nshut as close\nopen\n```\n')
  expect(report(files)).toContain('## offstage/x.js\n\nNo types: `./x.js`.\n')
})

test('contains each reachable declaration once, without comments', () => {
  const text = report(files)
  const [, declarations = ''] = text.split('## Declarations')
  expect(declarations.match(/^(?:export )?(?:declare|interface|type).*$/gm)).toEqual([
    'export interface Door {',
    'type Key = string;',
    'interface Lock {',
    'export declare function open(door: Door): void;',
    'declare function open(door: Door, bolt: Bolt): void;',
    'export declare function shut(door: Door): void;',
  ])
  expect(declarations).not.toMatch(/whose|a name|\/\*/i)
})

test('lists re-exports of a whole module', () => {
  const inner = { ...files, 'inner/all.d.ts': files['index.d.ts'].replaceAll('./inner/', './') }
  const index =
    "export * from './inner/all.ts';\nexport { open as close } from './inner/open.ts';\n"
  const text = report({ ...inner, 'index.d.ts': index })
  expect(text).toContain('## offstage\n\n```ts\ntype Door\nopen as close\nopen\n```\n')
  expect(text).not.toContain('declare function shut')
})

test('omits declarations that no export reaches', () => {
  const text = report(files)
  expect(text).not.toContain('Hidden')
  expect(text).not.toContain('type Hinge')
})

test('changes for a changed type, but not for a changed comment', () => {
  const before = report(files)
  const door = files['inner/door.d.ts']
  expect(report({ ...files, 'inner/door.d.ts': door.replace('a name', 'a person') })).toBe(before)
  expect(
    report({ ...files, 'inner/door.d.ts': door.replace('owner: string', 'owner: Lock') }),
  ).not.toBe(before)
})

test('contains both declarations when two modules use one name', () => {
  const text = report({
    ...files,
    'more.d.ts': 'type Key = number;\nexport declare const key: Key;\n',
  })
  expect(text).toContain('\ntype Key = string;\n')
  expect(text).toContain('\ntype Key = number;\n')
})
