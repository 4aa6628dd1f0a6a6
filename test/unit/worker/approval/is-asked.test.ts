import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { ApprovalFunctions } from '../../../../src/client/features/hooks.ts'
import { describeTools } from '../../../../src/client/tools/describe-tools.ts'
import type { AgentOptions } from '../../../../src/client/api/options.ts'
import { createToolRegistry } from '../../../../src/client/tools/tool-registry.ts'
import type { Tool } from '../../../../src/client/tools/tool.ts'
import {
  asksWhileTainted,
  requiresApproval,
} from '../../../../src/worker/run/approval/judge-approval.ts'

// The table "Is this call asked about?" of docs/security.md, row by row, with the real parts of the page and the worker.

type Options = Pick<AgentOptions, 'toolApproval' | 'whileTainted'>

interface Case {
  readonly tool?: Partial<Tool>
  readonly options?: Options
  readonly quoted?: boolean
  readonly rescued?: boolean
  readonly askedAt?: number
  readonly isTainted?: boolean
  readonly isOneShot?: boolean
  readonly isUnclear?: boolean
}

const NOBODY = { reserved: [], onRemove: () => undefined, onChange: () => undefined }

async function decide(facts: Case): Promise<boolean> {
  const { options = {}, quoted = false, rescued = false, askedAt } = facts
  const registry = createToolRegistry(NOBODY)
  registry.register({ name: 'act', description: 'Acts.', execute: () => null, ...facts.tool })
  const [tool] = describeTools(registry, options)
  if (!tool) throw new Error('There is one.')
  const call = { quoted, rescued, ...(askedAt !== undefined && { askedAt }) }
  const taint = facts.isTainted ? [{ origin: 'mails', at: 1 }] : []
  const asked = {
    toolName: 'act',
    toolCallId: 'c',
    input: {},
    agentId: 'a',
    runId: 'r',
    conversationId: 'v',
  }
  const reason = asksWhileTainted(call, tool, taint)
  const commits = (): unknown => facts.tool?.commits?.({}, {} as never)
  const decided = requiresApproval({
    call,
    tool,
    taint,
    isOneShot: facts.isOneShot ?? false,
    isUnclear: facts.isUnclear ?? false,
    isTaintAReason: reason === 'page' ? (await commits()) === true : reason,
  })
  if (decided !== 'page') return decided
  const functions = new ApprovalFunctions({ options, warn: () => undefined })
  return functions.needsApproval(registry.get('act'), asked, asked as never)
}

const remote = { source: 'mail.example' }
const trusted = { source: 'mail.example', trusted: true }
const quiet = { readOnly: true }
const never: Options = { toolApproval: 'never' }
const always: Options = { toolApproval: 'always' }
const destructive: Partial<Tool> = { annotations: { destructive: true } }
const free: Partial<Tool> = { annotations: { reversible: true } }

/** By the beginning of the row's first cell: cases that it decides, against what rows below would say. */
const ROWS: readonly (readonly [string, readonly (readonly [Case, boolean])[]])[] = [
  [
    'is of a run with `maxSteps: 0`',
    [
      [{ isOneShot: true, askedAt: 3, isUnclear: true, quoted: true, options: always }, false],
      [{ isOneShot: true, isTainted: true, tool: destructive }, false],
    ],
  ],
  [
    'was asked about before',
    [[{ askedAt: 3, tool: { annotations: quiet }, options: never }, true]],
  ],
  [
    'has a `secretsIn` that failed',
    [[{ isUnclear: true, tool: { annotations: quiet }, options: never }, true]],
  ],
  [
    '[may be a quotation]',
    [
      [{ quoted: true, tool: free, options: never }, true],
      [{ quoted: true, tool: { annotations: quiet } }, false],
      [{ quoted: true, tool: { annotations: quiet, remote, needsApproval: false } }, true],
      [{ rescued: true, tool: free }, false],
      [{ rescued: true, isTainted: true, tool: free, options: { whileTainted: 'allow' } }, true],
    ],
  ],
  [
    'is tainted, and `whileTainted`',
    [
      [{ isTainted: true, tool: { annotations: { openWorld: true, readOnly: true } } }, true],
      [{ isTainted: true, tool: { ...destructive, needsApproval: false }, options: never }, true],
      [{ isTainted: true, tool: free }, false],
      [{ isTainted: true, tool: { annotations: { idempotent: true } } }, false],
      [{ isTainted: true, tool: { needsApproval: false }, options: never }, true],
      [{ isTainted: true, tool: { annotations: quiet, commits: () => true } }, true],
      [
        { isTainted: true, tool: { annotations: { openWorld: true }, commits: () => false } },
        false,
      ],
      [{ isTainted: true, tool: free, options: { whileTainted: 'ask-writes' } }, true],
      [
        { isTainted: true, tool: { annotations: quiet }, options: { whileTainted: 'ask-writes' } },
        false,
      ],
      [
        {
          isTainted: true,
          tool: { annotations: { openWorld: true } },
          options: { whileTainted: 'allow' },
        },
        false,
      ],
      [{ isTainted: true, tool: { remote, needsApproval: false, annotations: quiet } }, true],
    ],
  ],
  // For the rows, that is a tool whose `needsApproval` is a function.
  ['is a [page action]', [[{ tool: { needsApproval: () => true }, options: never }, true]]],
  [
    'is of a tool with `needsApproval: true`',
    [
      [{ tool: { needsApproval: true, annotations: quiet }, options: never }, true],
      [{ tool: { needsApproval: false, annotations: quiet }, options: always }, true],
    ],
  ],
  [
    'is of a tool with `remote`',
    [
      [{ tool: { remote, annotations: quiet } }, true],
      [{ tool: { remote: trusted } }, true],
      [{ tool: { remote: trusted, annotations: quiet } }, false],
      [{ tool: { remote, needsApproval: false } }, false],
      [{ tool: { remote }, options: never }, false],
      [{ tool: { remote, needsApproval: () => false } }, true],
    ],
  ],
  [
    'is of a tool whose `needsApproval` is a function',
    [
      [{ tool: { needsApproval: () => true }, options: never }, true],
      [{ tool: { needsApproval: () => 'default', ...destructive } }, true],
      [{ tool: { needsApproval: () => 'default', ...free } }, false],
      [{ tool: { needsApproval: () => false, ...destructive } }, false],
      [{ tool: { needsApproval: () => false }, options: { toolApproval: () => true } }, true],
    ],
  ],
  [
    'meets a `toolApproval` function',
    [
      [{ tool: { needsApproval: false }, options: { toolApproval: () => true } }, true],
      [{ tool: destructive, options: { toolApproval: () => false } }, false],
    ],
  ],
  [
    'is of a tool with `needsApproval: false`',
    [[{ tool: { needsApproval: false, ...destructive } }, false]],
  ],
  [
    'is none of these',
    [
      [{ tool: destructive }, true],
      [{ tool: {} }, false],
      [{ tool: free, options: { toolApproval: 'writes' } }, true],
      [{ tool: { annotations: quiet }, options: { toolApproval: 'writes' } }, false],
      [{ tool: destructive, options: never }, false],
    ],
  ],
]

describe.each(ROWS)('a call that %s', (_, cases) => {
  test.each(cases.map(([facts, expected]) => ({ facts, expected })))(
    '%j',
    async ({ facts, expected }) => {
      expect(await decide(facts)).toBe(expected)
    },
  )
})

it('the documented table has these rows, in order', () => {
  const text = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
  const section = text.split('## Is this call asked about?')[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
  expect(rows).toHaveLength(ROWS.length)
  for (const [at, [beginning]] of ROWS.entries())
    expect(rows[at]?.startsWith(`| ${beginning}`), beginning).toBe(true)
})
