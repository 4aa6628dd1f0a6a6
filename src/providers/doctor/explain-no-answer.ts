import type { PolicyWatch } from '../../protocol/policy.ts'
import { explainPolicy, ownPolicyScope } from '../core/policy-error.ts'
import { entersLocalNetwork, isMixedContent } from './address.ts'
import type { Outcome } from './ask.ts'
import { isOnline, localNetworkPermission, type Page } from './browser-environment.ts'
import { shown, type Examination } from './examination.ts'
import { findEndpoint } from './find-endpoint.ts'
import type { ModelList } from './list-models.ts'
import type { Plan } from './probe-model.ts'
import type { ServerHelp } from './server-help.ts'

export interface NoAnswer {
  readonly plan: Plan
  readonly outcome: Exclude<Outcome, { type: 'answer' }>
  readonly page: Page | undefined
  readonly policy: PolicyWatch
  readonly help: ServerHelp
  /** The server's model list, which may have loaded although the request failed. */
  readonly list: ModelList
}

/**
 * Reports why an endpoint gave no answer. Browsers hide the reason from scripts, so it is inferred from policies,
 * permissions, and whether a request without CORS gets through.
 */
export async function explainNoAnswer(examination: Examination, noAnswer: NoAnswer): Promise<void> {
  const { plan, page, policy } = noAnswer
  const { findings } = examination
  if (!page) return explainWithoutPage(examination, noAnswer)
  const refusedBy = await policy.refusedBy()
  if (refusedBy !== undefined) {
    const scope = ownPolicyScope()
    const { message, fix } = explainPolicy({ url: plan.url, policy: refusedBy, scope })
    return findings.fail('content-security-policy', message, fix)
  }
  findings.ok('content-security-policy', 'No policy of this scope refused the request.')
  if (
    noAnswer.outcome.type === 'unreachable' &&
    (await letsSimpleRequestsThrough(examination, plan))
  )
    return explainRefusal(examination, noAnswer, page)
  explainBrowser(examination, noAnswer, {
    page,
    permission: entersLocalNetwork(page.url, plan.url)
      ? await localNetworkPermission(plan.url.hostname)
      : undefined,
  })
}

function explainWithoutPage(
  { findings }: Examination,
  { plan, outcome, help, list }: NoAnswer,
): void {
  const cause = outcome.type === 'timeout' ? 'no answer in time' : outcome.cause
  if (list.models) {
    findings.ok('server', `${plan.url.origin} answers.`)
    const message = `The server lists its models, but ${shown(plan.url)} gave no answer (${cause}).`
    return findings.fail('path', message, "Look into the server's log.")
  }
  findings.fail('server', `${plan.url.origin} could not be reached (${cause}).`, help.start)
}

/** Whether the server answers a `no-cors` request: the answer stays hidden, but its existence shows. */
async function letsSimpleRequestsThrough(examination: Examination, plan: Plan): Promise<boolean> {
  const root = new URL('/', plan.url)
  const outcome = await examination.ask(root, { mode: 'no-cors', redirect: 'follow' })
  return outcome.type === 'answer'
}

/** Reports a server that runs but withholds its answer from the page. */
async function explainRefusal(
  examination: Examination,
  { plan, help }: NoAnswer,
  { origin }: Page,
): Promise<void> {
  const { findings } = examination
  findings.ok('server', `Something answers at ${plan.url.origin}.`)
  // Many servers send their CORS headers only where they have something to serve.
  const endpoint = await findEndpoint(examination, plan)
  if (endpoint) {
    findings.ok('cors', `The server lets pages of ${origin} in.`)
    const message = `Nothing answers at ${shown(plan.url)}.`
    findings.fail('path', message, `Set ${endpoint.setting}`)
    return
  }
  const models = new URL(
    plan.url.pathname.replace(/\/(chat\/completions|messages|responses)$/, '/models'),
    plan.url,
  )
  const simple = await examination.ask(models, {})
  const names = [...plan.headers.keys()].filter((name) => name !== 'accept').join(', ')
  const what =
    simple.type === 'answer'
      ? `allows the origin ${origin}, but not a POST request with the headers ${names}`
      : `does not allow the origin ${origin}`
  findings.fail('cors', `The server runs, but ${what}.`, help.cors(origin))
}

interface Gate {
  readonly page: Page
  /** Undefined if no permission is needed, or if the browser has no such permission. */
  readonly permission: PermissionState | undefined
}

/** Reports a block by the browser, else a server that is down. */
function explainBrowser(examination: Examination, noAnswer: NoAnswer, gate: Gate): void {
  const { findings } = examination
  const { plan, outcome } = noAnswer
  const { page, permission } = gate
  if (permission === 'denied') {
    const message = 'The browser does not let this page reach local addresses.'
    const fix =
      page.url.protocol === 'https:'
        ? 'Allow it in the site settings of the browser (local network access), and reload.'
        : 'Serve the page with https: only then may it ask for the permission.'
    return findings.fail('local-network', message, fix)
  }
  if (permission === 'prompt' && outcome.type === 'timeout') {
    const message = 'The browser asks whether this page may reach local addresses.'
    return findings.fail('local-network', message, "Answer the browser's question, then try again.")
  }
  // Either the person dismissed the prompt, or the port is closed: browser versions differ in which they check first.
  if (permission === 'prompt') {
    const message =
      'The browser has no answer yet whether this page may reach local addresses, which may be the cause.'
    findings.warn('local-network', message, 'Allow it when it asks.')
  }
  // Browsers with this permission allow mixed content to local addresses; others block it.
  if (permission === undefined && isMixedContent(page.url, plan.url)) {
    const message = `A page on https may not call ${plan.url.origin}.`
    const fix =
      'Serve the endpoint with https, or the page with http; plain http works for localhost.'
    return findings.fail('mixed-content', message, fix)
  }
  explainDown(examination, noAnswer, page)
}

function explainDown(
  { findings }: Examination,
  { plan, outcome, help }: NoAnswer,
  page: Page,
): void {
  const { origin } = plan.url
  if (!isOnline()) findings.fail('server', 'The device is offline.', 'Connect to the network.')
  else if (outcome.type === 'timeout') {
    const fix = `Open ${origin} in a tab. The server may be busy, or a firewall may drop the request.`
    findings.fail('server', `${origin} did not answer in time.`, fix)
  } else {
    // Safari's refusal of plain http to localhost looks the same.
    const isExempt = page.url.protocol === 'https:' && plan.url.protocol === 'http:'
    const safari = isExempt ? ' (Safari also refuses plain http from a page on https.)' : ''
    const message = `Nothing answers at ${origin}: it is down, or the address is wrong.${safari}`
    findings.fail('server', message, help.start)
  }
}
