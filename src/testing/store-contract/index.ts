import { APPENDS, LATE_REQUESTS, OWNERS } from './writes.ts'
import type { ContractCase, Requirement, StoreUnderTest } from './expectations.ts'
import { FOLLOWS, READS } from './reads.ts'
import { HISTORIES_CASES } from './histories.ts'

const GROUPS: readonly (readonly [group: string, cases: Record<string, Requirement>])[] = [
  ['appends', APPENDS],
  ['owners', OWNERS],
  ['late requests', LATE_REQUESTS],
  ['reading, lists, titles, deletion and imports', READS],
  ['following', FOLLOWS],
  ['random histories', HISTORIES_CASES],
]

/**
 * Requirements that every store must meet, as cases for any test runner: `for (const { name, run } of
 * storeContract(tested)) it(name, run)`. Each case opens a store of its own and closes it.
 */
export function storeContract(tested: StoreUnderTest): ContractCase[] {
  return GROUPS.flatMap(([group, cases]) =>
    Object.entries(cases).map(([name, requirement]) => ({
      group,
      name: `${group}: ${name}`,
      run: async () => {
        const pair = await tested.open()
        try {
          await requirement(pair, tested)
        } finally {
          pair.store.close()
          pair.other.close()
        }
      },
    })),
  )
}
