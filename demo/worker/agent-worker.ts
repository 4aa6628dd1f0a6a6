import { createProvider, defineProvider } from 'offstage/providers'
import { startWorker } from 'offstage/worker'
import { ledgerOutcomes } from '../ledger/ledger-outcomes.ts'
import { withOutcome } from '../model/outcome.ts'
import { withRepeats } from '../model/repeats.ts'
import { shopOutcomes } from '../shop/shop-outcomes.ts'
import { breakNetwork, breakScript } from './break-model.ts'
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
    const { messages } = request
    const played = config.script && {
      ...config,
      script: withRepeats(withOutcome(config.script, messages, outcomes), messages),
    }
    yield* breakScript(createProvider(played ?? config).batches(request, options))
  },
})

serveMeasuredAnswer()
breakNetwork()
startWorker({ providers: [script] })
