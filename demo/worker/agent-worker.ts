import { createProvider, defineProvider } from 'offstage/providers'
import { startWorker } from 'offstage/worker'
import { ledgerOutcomes } from '../ledger/ledger-outcomes.ts'
import { withOutcome } from '../model/outcome.ts'
import { withRepeats } from '../model/repeats.ts'
import { withDiscussion } from '../shop/order-discussion.ts'
import { shopOutcomes } from '../shop/shop-outcomes.ts'
import { followFaults } from './active-faults.ts'
import { breakNetwork, breakScript } from './break-model.ts'
import { breakStorage } from './break-storage.ts'
import { serveMeasuredAnswer } from './measured-answer.ts'

const outcomes = { ...shopOutcomes, ...ledgerOutcomes }

// A script needs a network as a model does: before each answer, the page's own server is asked for a sign of life.
const script = defineProvider({
  id: 'scripted',
  async *stream(request, config, options) {
    try {
      await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
    } catch {
      const message = 'The server of this page can’t be reached.'
      yield [{ type: 'error', error: { code: 'network', message, retryable: true } }]
      return
    }
    const { messages, tools } = request
    const played = config.script && {
      ...config,
      script: withDiscussion(
        withRepeats(withOutcome(config.script, messages, outcomes), messages),
        tools,
      ),
    }
    yield* breakScript(request, createProvider(played ?? config).batches(request, options))
  },
})

followFaults()
serveMeasuredAnswer()
breakNetwork()
breakStorage()
startWorker({ providers: [script] })
