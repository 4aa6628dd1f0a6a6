import { createProvider, defineProvider } from 'offstage/providers'
import { startWorker } from 'offstage/worker'
import { withOutcome } from '../model/outcome.ts'
import { CUT_NETWORK, MEND_NETWORK } from './messages.ts'

/**
 * The agent's worker, as an app with a provider of its own has it. The page can cut its network, and a script's answers
 * need one here as a model's do: before each, the page's own server is asked for a sign of life.
 */
const send = fetch
let isCut = false
addEventListener('message', ({ data }) => {
  if (data === CUT_NETWORK) isCut = true
  if (data === MEND_NETWORK) isCut = false
})
globalThis.fetch = (...request) =>
  isCut ? Promise.reject(new TypeError('The network is cut.')) : send(...request)

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
    const played = config.script && {
      ...config,
      script: withOutcome(config.script, request.messages),
    }
    yield* createProvider(played ?? config).batches(request, options)
  },
})

startWorker({ providers: [script] })
