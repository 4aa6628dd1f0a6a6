import { startFaultProxy, type FaultProxy } from './support/fault-proxy.ts'
import { probe, type Finding } from './support/probe.ts'
import { test as base } from './support/test.ts'
import { transportRows } from './support/transport-rows.ts'
import { inSlice } from './support/more.ts'

const test = base.extend<{ faults: FaultProxy }>({
  faults: async ({ model }, use) => {
    const proxy = await startFaultProxy(new URL(model.baseURL).origin)
    await use(proxy)
    await proxy.close()
  },
})

// Playwright's own type for the argument is too deep for the compiler.
const inPage = probe as (question: object) => Promise<Finding>

for (const transport of ['worker', 'page'] as const) {
  test.describe(`model calls over a real connection, fetched by the ${transport}`, () => {
    for (const [at, { title, check }] of transportRows.entries()) {
      test(
        title,
        inSlice(transport === 'worker' ? at % 4 === 0 : at % 12 === 3),
        async ({ model, faults, openPage }) => {
          const page = await openPage()
          const ask = (question: object): Promise<Finding> => page.evaluate(inPage, question)
          await check({ model, faults, transport, ask })
        },
      )
    }
  })
}
