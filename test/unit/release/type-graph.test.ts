import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pruneTypes } from '../../../scripts/lib/type-graph.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-types-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
}

const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8')

test('types keep what an entry leads to, with its comments, and lose all else', () => {
  write({
    'index.d.ts':
      "import { type Run, type Unused } from './run.ts';\nexport * from './all.ts';\n/** Runs. */\nexport declare function run(): Run;\n",
    'all.d.ts': "/** Exports. */\nexport { type Renamed as Name } from './run.ts';\nexport {};\n",
    'run.d.ts':
      '/** A run. */\nexport interface Run {\n    /** Its end. */\n    readonly end: End;\n}\ntype End = 1;\n/** Internal. */\nexport interface Unused {\n    readonly a: 1;\n}\nexport type Renamed = 2;\n',
    'alone.d.ts': 'export type Alone = 1;\n',
  })
  expect(pruneTypes(folder, ['index.d.ts'])).toBeNull()
  expect(readdirSync(folder).toSorted()).toEqual(['all.d.ts', 'index.d.ts', 'run.d.ts'])
  expect(read('index.d.ts')).toBe(
    "import { type Run } from './run.ts';\nexport * from './all.ts';\n/** Runs. */\nexport declare function run(): Run;\n",
  )
  expect(read('all.d.ts')).toContain(
    "/** Exports. */\nexport { type Renamed as Name } from './run.ts';",
  )
  expect(read('run.d.ts')).toBe(
    '/** A run. */\nexport interface Run {\n    /** Its end. */\n    readonly end: End;\n}\ntype End = 1;\nexport type Renamed = 2;\n',
  )
})

test('types that an entry declares globally stay, and a needed import of a package is reported', () => {
  write({
    'index.d.ts':
      "import { Chat } from './chat.ts';\ndeclare global {\n    interface Tags {\n        chat: Chat;\n    }\n}\n",
    'chat.d.ts':
      "import type { Html } from 'lit';\nexport declare class Chat {\n}\nexport declare function draw(): Html;\n",
  })
  expect(pruneTypes(folder, ['index.d.ts'])).toBeNull()
  expect(read('index.d.ts')).toContain('chat: Chat;')
  expect(read('chat.d.ts')).toBe('export declare class Chat {\n}\n')
  write({ 'chat.d.ts': "import type { Html } from 'lit';\nexport type Chat = Html;\n" })
  expect(pruneTypes(folder, ['index.d.ts'])).toEqual({ file: 'chat.d.ts', specifier: 'lit' })
})
