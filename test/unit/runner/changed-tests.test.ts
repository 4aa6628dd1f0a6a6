import { expect, test } from 'vitest'
import { concernedTests } from '../../../scripts/lib/changed-tests.mjs'

const sources = new Map(
  Object.entries({
    'src/index.ts': "export { agent } from './client/api/agent.ts'",
    'src/client/api/agent.ts': "import type { Chat } from '../../ui/chat/index.ts'",
    'src/ui/chat/index.ts': "import { fold } from './fold.ts'",
    'src/ui/chat/fold.ts': '',
    'test/unit/chat/fold.test.ts': "import { fold } from '../../../src/ui/chat/fold.ts'",
    'test/unit/chat/support.ts': "export * from '../../../src/ui/chat/index.ts'",
    'test/unit/chat/chat.test.ts': "const { chat } = await import('./support.ts')",
    'test/unit/client/agent.test.ts': "import { agent } from '../../../src/client/api/agent.ts'",
    'test/unit/docs/words.test.ts': "readFileSync(`${root}docs/words.md`); filesIn('docs/guide')",
    'test/unit/docs/families.test.ts': 'read(`../../fixtures/families/${family}.json`)',
    'test/browser/chat-cards.spec.ts': '',
    'test/browser/other.spec.ts': "import { open } from './support/open.ts'",
    'test/browser/support/open.ts': "await import('/dist/chat.js')",
    'test/browser/tabs.spec.ts': '',
  }),
)
const entries = { 'dist/chat.js': 'src/ui/chat/index.ts', 'offstage/chat': 'src/ui/chat/index.ts' }

test.each([
  [
    'a module concerns the unit tests that import it, through others or not, and browser tests that load its entry or have its name',
    'src/ui/chat/fold.ts',
    ['test/unit/chat/chat.test.ts', 'test/unit/chat/fold.test.ts'],
    ['test/browser/chat-cards.spec.ts', 'test/browser/other.spec.ts'],
  ],
  [
    'what every agent loads concerns the core of the browser tests',
    'src/client/api/agent.ts',
    ['test/unit/client/agent.test.ts'],
    ['test/browser/tabs.spec.ts'],
  ],
  ['a test concerns itself', 'test/browser/tabs.spec.ts', [], ['test/browser/tabs.spec.ts']],
  [
    'support concerns its tests',
    'test/browser/support/open.ts',
    [],
    ['test/browser/other.spec.ts'],
  ],
  ['a file concerns the tests that read it', 'docs/words.md', ['test/unit/docs/words.test.ts'], []],
  [
    'a file concerns the tests that read its folder',
    'docs/guide/deep/page.md',
    ['test/unit/docs/words.test.ts'],
    [],
  ],
  [
    'a file concerns the tests that put its path together',
    'test/fixtures/families/one.json',
    ['test/unit/docs/families.test.ts'],
    [],
  ],
  ['what no test names concerns none', 'LICENSE', [], []],
])('%s', (_, changed, unit, browser) => {
  expect(concernedTests([changed], sources, entries)).toEqual({ unit, browser })
})

test('a change of the test configuration selects all tests', () => {
  const { unit, browser } = concernedTests(['vitest.config.ts'], sources, entries)
  expect([unit.length, browser.length]).toEqual([5, 3])
})
