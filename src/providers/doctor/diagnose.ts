import { type ErrorData, toErrorData } from '../../protocol/error.ts'
import { type PolicyWatch, watchCsp } from '../../protocol/csp.ts'
import { httpError } from '../core/provider-error.ts'
import { createProvider, type ProviderConfig } from '../create-provider.ts'
import {
  browserModel,
  entersLocalNetwork,
  findWebGpu,
  isMixedContent,
  isOnline,
  localNetworkPermission,
  type Page,
  pageOf,
} from './browser-environment.ts'
import { type Outcome, throwIfAborted } from './ask.ts'
import {
  CHECK_NAMES,
  type DiagnoseOptions,
  type Diagnosis,
  Examination,
  displayURL,
} from './examination.ts'
import {
  describeNonEndpoint,
  findEndpoint,
  formatAt,
  listModels,
  type ModelList,
  offers,
  probeEndpoint,
} from './discover.ts'
import { helpFor, type ServerHelp, detectServer } from './server-help.ts'
import { type PlannedRequest, planRequest, probeModel, type ProbeResult } from './probe-model.ts'
import { explainPolicy, ownPolicyScope } from '../core/policy-error.ts'

interface NoAnswer {
  readonly plan: PlannedRequest
  readonly outcome: Exclude<Outcome, { type: 'answer' }>
  readonly page: Page | undefined
  readonly policy: PolicyWatch
  readonly help: ServerHelp
  /** The server's model list, which may have loaded although the request failed. */
  readonly list: ModelList
}

/**
 * Reports why an endpoint gave no answer. Browsers hide the reason from scripts. Therefore the reason is inferred from
 * policies, permissions, and whether a `no-cors` request succeeds.
 */
async function explainNoAnswer(examination: Examination, noAnswer: NoAnswer): Promise<void> {
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
  if (noAnswer.outcome.type === 'unreachable' && (await acceptsNoCorsRequest(examination, plan)))
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
    const message = `The server lists its models, but ${displayURL(plan.url)} gave no answer (${cause}).`
    return findings.fail('path', message, "Look into the server's log.")
  }
  findings.fail('server', `${plan.url.origin} could not be reached (${cause}).`, help.start)
}

/** Whether the server answers a `no-cors` request. Scripts can't read the answer, but see that there is one. */
async function acceptsNoCorsRequest(
  examination: Examination,
  plan: PlannedRequest,
): Promise<boolean> {
  const root = new URL('/', plan.url)
  const outcome = await examination.sendRequest(root, { mode: 'no-cors', redirect: 'follow' })
  return outcome.type === 'answer'
}

/** Reports a server that runs but doesn't let the page read its answer. */
async function explainRefusal(
  examination: Examination,
  { plan, help }: NoAnswer,
  { origin }: Page,
): Promise<void> {
  const { findings } = examination
  findings.ok('server', `Something answers at ${plan.url.origin}.`)
  // Many servers send CORS headers only for existing paths, so the path may be wrong.
  const endpoint = await findEndpoint(examination, plan)
  if (endpoint) {
    findings.ok('cors', `The server allows pages of ${origin}.`)
    const message = `Nothing answers at ${displayURL(plan.url)}.`
    findings.fail('path', message, `Set ${endpoint.setting}`)
    return
  }
  const models = new URL(
    plan.url.pathname.replace(/\/(chat\/completions|messages|responses)$/, '/models'),
    plan.url,
  )
  const simple = await examination.sendRequest(models, {})
  const names = [...plan.headers.keys()].filter((name) => name !== 'accept').join(', ')
  const problem =
    simple.type === 'answer'
      ? `allows the origin ${origin}, but not a POST request with the headers ${names}`
      : `does not allow the origin ${origin}`
  findings.fail('cors', `The server runs, but ${problem}.`, help.cors(origin))
}

interface Gate {
  readonly page: Page
  /** Undefined if no permission is needed, or if the browser has no such permission. */
  readonly permission: PermissionState | undefined
}

/** Reports that the browser blocked the request, or else that the server is down. */
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
  // Either the person dismissed the prompt, or the port is closed. Browser versions differ in which of the two they
  // check first.
  if (permission === 'prompt') {
    const message = 'Access to local addresses is not allowed yet, which may be the cause.'
    findings.warn('local-network', message, 'Allow it when asked.')
  }
  // Browsers with this permission allow mixed content to local addresses. Others block mixed content.
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
    // Safari's refusal of plain http to localhost looks like a closed port.
    const isExempt = page.url.protocol === 'https:' && plan.url.protocol === 'http:'
    const safari = isExempt ? ' (Safari also refuses plain http from a page on https.)' : ''
    const message = `Nothing answers at ${origin}: it is down, or the address is wrong.${safari}`
    findings.fail('server', message, help.start)
  }
}

/**
 * Reports whether a model can be used, and if not, why. Checks the address, what the browser blocks, the key, the
 * model, streaming and tools. Sends a few small requests. Unless `probe` is false, also sends one for a real tool call,
 * and up to two more if the model makes none. Works in pages, workers and Node.
 *
 * Rejects only when `signal` is aborted, never because of a configuration or an endpoint.
 */
export async function diagnose(
  config: ProviderConfig,
  options: DiagnoseOptions = {},
): Promise<Diagnosis> {
  throwIfAborted(options.signal)
  const examination = new Examination(config, options)
  const models = examination.isHttp()
    ? await examineEndpoint(examination)
    : await examineEngine(examination)
  return examination.findings.report(models, (text) => examination.redact(text))
}

async function examineEndpoint(examination: Examination): Promise<readonly string[] | undefined> {
  const { findings } = examination
  const plan = await planRequest(examination)
  if (!('url' in plan)) {
    const isKey = plan.code === 'authentication'
    findings.fail(isKey ? 'authentication' : 'configuration', plan.message)
    return undefined
  }
  findings.ok('configuration', `Requests go to ${displayURL(plan.url)}.`)
  const page = pageOf(examination.options.page)
  const help = helpFor(detectServer(examination.config.provider, plan.url))
  const policy = watchCsp(plan.url.href)
  try {
    const outcome = await probeEndpoint(examination, plan)
    if (outcome.type === 'answer') {
      reportReachable(examination, plan, page)
      return await examineAnswer(examination, { plan, outcome })
    }
    const list = await listModels(examination, plan, plan.url)
    if (list.models && (await answersRealRequest(examination, plan, list))) {
      reportReachable(examination, plan, page)
      return list.models
    }
    await explainNoAnswer(examination, { plan, outcome, page, policy, help, list })
    return list.models
  } finally {
    policy.stop()
  }
}

/** The endpoint answered, so nothing blocked the request. */
function reportReachable(
  { findings }: Examination,
  { url }: PlannedRequest,
  page: Page | undefined,
): void {
  findings.ok('server', `${url.origin} answers.`)
  if (!page) {
    const message = 'No browser is involved.'
    for (const name of [
      'mixed-content',
      'local-network',
      'content-security-policy',
      'cors',
    ] as const)
      findings.skip(name, message)
    return
  }
  findings.ok('content-security-policy', 'No policy of this scope refused the request.')
  if (isMixedContent(page.url, url)) findings.ok('mixed-content', 'The request was allowed.')
  else findings.skip('mixed-content', 'None: the request is as safe as the page.')
  if (entersLocalNetwork(page.url, url)) findings.ok('local-network', 'The request was allowed.')
  else findings.skip('local-network', 'No permission is needed.')
  if (page.origin === url.origin) findings.skip('cors', 'Not needed: same origin.')
  else findings.ok('cors', `The server allows pages of ${page.origin}.`)
}

interface Reached {
  readonly plan: PlannedRequest
  readonly outcome: Extract<Outcome, { type: 'answer' }>
}

/** @returns the models that the server lists. */
async function examineAnswer(
  examination: Examination,
  { plan, outcome }: Reached,
): Promise<readonly string[] | undefined> {
  const { findings } = examination
  const refusal = refusalOf(outcome)
  const problem = describeNonEndpoint(outcome)
  if (problem !== undefined && refusal?.code !== 'model-not-found') {
    const endpoint = await findEndpoint(examination, plan)
    const fix = endpoint
      ? `Set ${endpoint.setting}`
      : 'Check the path of the baseURL; most servers want it to end in /v1.'
    findings.fail('path', `${displayURL(plan.url)} ${problem}.`, fix)
    return endpoint && (await listModels(examination, plan, endpoint.url)).models
  }
  const isDenied = refusal?.code === 'authentication' || refusal?.code === 'permission-denied'
  if (!isDenied && outcome.status < 500)
    findings.ok('path', `A model endpoint answers there, in ${formatAt(plan.url)}.`)
  const list = await listModels(examination, plan, plan.url)
  const server = detectServer(examination.config.provider, plan.url, list.owner)
  await checkModel(examination, {
    model: plan.model,
    list,
    help: helpFor(server),
    server,
    ...(isDenied && refusal && { refusal }),
  })
  return list.models
}

/** Sends a real request, because some servers answer only such requests and hang on an empty one. */
async function answersRealRequest(
  examination: Examination,
  plan: PlannedRequest,
  list: ModelList,
): Promise<boolean> {
  if (examination.options.probe === false) return false
  const server = detectServer(examination.config.provider, plan.url, list.owner)
  const evidence = { model: plan.model, list, help: helpFor(server), server }
  return checkModel(examination, evidence, { unlessSilent: true })
}

function refusalOf({ status, headers, body }: Reached['outcome']): ErrorData | undefined {
  if (status < 400) return undefined
  // `new Response` throws for a status above 599.
  return httpError(new Response(null, { status: Math.min(status, 599), headers }), body)
}

/** Examines a provider without an HTTP endpoint: only the browser's support can be checked. */
async function examineEngine(examination: Examination): Promise<undefined> {
  const { findings, config } = examination
  switch (config.provider) {
    case 'prompt-api':
      await examineBrowserModel(examination)
      break
    case 'webllm':
      if (await findWebGpu()) findings.ok('configuration', 'WebGPU has an adapter.')
      else
        findings.fail(
          'configuration',
          'WebLLM needs WebGPU, and this browser offers no adapter.',
          'Use a browser with WebGPU and a graphics card that it supports, or another provider.',
        )
      break
    case 'wllama':
      findings.ok('configuration', 'wllama needs only WebAssembly.')
      break
    default:
      examineOther(examination)
  }
  for (const name of CHECK_NAMES) findings.skip(name, 'This provider is not reached over HTTP.')
}

async function examineBrowserModel({ findings }: Examination): Promise<void> {
  findings.ok('configuration', 'The model is part of the browser.')
  const availability = await browserModel()
  switch (availability) {
    case 'available':
      return findings.ok('model', 'The model of this browser is ready.')
    case 'downloadable':
    case 'downloading':
      return findings.warn(
        'model',
        `The model of this browser is ${availability}.`,
        'Let it load first: agent.prepare()',
      )
    case 'unavailable':
      return findings.fail(
        'model',
        'This browser has no model for pages (LanguageModel is missing or unavailable; workers never have it).',
        'Use a browser that has one, on a machine that meets its demands, or another provider.',
      )
    default:
      availability satisfies never
  }
}

function examineOther({ findings, config, options }: Examination): void {
  try {
    createProvider(config, options.providers ? { providers: options.providers } : {})
    findings.ok('configuration', 'The provider is known.')
  } catch (thrown) {
    findings.fail('configuration', toErrorData(thrown).message)
  }
}

interface Evidence {
  /** Model name as sent. */
  readonly model: string
  readonly list: ModelList
  readonly help: ServerHelp
  /** Detected server software, as a key of `helpFor`; empty if unknown. */
  readonly server: string
  /** The endpoint's error if it answered the empty request with 401 or 403. */
  readonly refusal?: ErrorData
}

const KEY_PASSED = 'Nothing was refused for lack of a key.'

/**
 * Checks the key, the model, its answer, streaming and tools.
 *
 * @param unlessSilent adds nothing about the answer if none was received.
 * @returns false if `unlessSilent` applied.
 */
async function checkModel(
  examination: Examination,
  evidence: Evidence,
  { unlessSilent = false }: { readonly unlessSilent?: boolean } = {},
): Promise<boolean> {
  const { findings, options } = examination
  if (evidence.model === '' && evidence.list.models) {
    const message = `No model is configured. ${listModelNames(evidence.list.models)}`
    findings.fail('model', message, "Set 'model' to one of them.")
  }
  if (options.probe === false) {
    const message = 'Not tried: probe is false.'
    checkKey(examination, evidence)
    checkListing(examination, evidence)
    for (const name of ['answer', 'streaming', 'tools'] as const) findings.skip(name, message)
    return true
  }
  const result = await askModel(examination, evidence.server)
  if (unlessSilent && result.error?.code === 'network') return false
  if (!result.error) {
    findings.ok('path', 'A model endpoint answers there.')
    findings.ok('authentication', KEY_PASSED)
    reportAnswer(examination, evidence, result)
    return true
  }
  reportError(examination, evidence, result.error)
  // An HTTP error about something else means that the key, perhaps a fresh one, was accepted.
  if (result.error.details?.['status'] !== undefined) findings.ok('authentication', KEY_PASSED)
  checkKey(examination, evidence)
  checkListing(examination, evidence)
  return true
}

/** Asks the model for a tool call, or for one word if `toolChoice` is `'none'`. */
async function askModel(examination: Examination, server: string): Promise<ProbeResult> {
  const { findings, config } = examination
  if (config.toolChoice === 'none') {
    findings.skip('tools', "toolChoice is 'none': no call is wanted.")
    return probeModel(examination, { kind: 'word' })
  }
  // Loads the parser of calls in text here, because no other check needs it.
  const toolChecks = await import('./check-tools.ts').catch(() => undefined)
  if (toolChecks) return toolChecks.checkTools(examination, server)
  findings.skip('tools', "The doctor's file for this check could not be loaded.")
  return probeModel(examination, { kind: 'word' })
}

function reportAnswer({ findings }: Examination, evidence: Evidence, result: ProbeResult): void {
  const { model, list } = evidence
  findings.ok('answer', `${model || 'The model'} answered.`)
  if (/json/i.test(result.contentType) && !/ndjson|jsonl/i.test(result.contentType))
    findings.warn(
      'streaming',
      'The server answers in one piece though asked to stream: text appears only at the end.',
      'Look for a proxy or setting that turns streaming off.',
    )
  else findings.ok('streaming', 'The answer was streamed.')
  const { models } = list
  if (models && models.length > 0 && !offers(models, model))
    findings.warn(
      'model',
      `The server answered, but does not list ${model}. ${listModelNames(models)}`,
    )
  else findings.ok('model', `${model || 'The model'} can be used.`)
}

/** Reports a failed probe under the check that the error belongs to. */
function reportError({ findings }: Examination, evidence: Evidence, error: ErrorData): void {
  const { model, help, list } = evidence
  const { code, message } = error
  switch (code) {
    case 'authentication':
      return findings.fail('authentication', message)
    case 'permission-denied':
      return findings.fail('authentication', message, help.forbidden)
    case 'model-not-found': {
      const text = list.models ? `${message}\n${listModelNames(list.models)}` : message
      return findings.fail('model', text, help.model(model))
    }
    case 'rate-limited':
    case 'overloaded':
      return findings.warn(
        'answer',
        `The model has not answered yet: ${message}`,
        'Wait a little, then check again; a local model may still be loading.',
      )
    case 'stream-incomplete':
      return findings.fail('streaming', message, 'Look for a proxy that cuts or buffers streams.')
    case 'network':
      return findings.fail(
        'answer',
        'The server answers, but not the real request. The connection broke, or that answer lacks its CORS headers.',
      )
    case 'bad-request':
      if (/\bstream(?:ing|ed)?\b/i.test(message)) return findings.fail('streaming', message)
      return findings.fail('answer', message, systemAdvice(message))
    default:
      return findings.fail('answer', message, systemAdvice(message))
  }
}

/** Matches errors of servers and chat templates that don't support system messages. */
const NO_SYSTEM = /\bsystem (?:role|message|prompt|instruction)|\brole\W{1,4}system\b/i

function systemAdvice(message: string): string | undefined {
  if (!NO_SYSTEM.test(message)) return undefined
  return "The agent's instructions, and ACTION mode, need a system message: use another model or chat template. Without them, runs may work."
}

/** Reports whether the key is valid, judged by two requests that name no model: the empty one and the model list. */
function checkKey({ findings }: Examination, { list, help, refusal }: Evidence): void {
  if (findings.has('authentication')) return
  if (refusal)
    return findings.fail(
      'authentication',
      refusal.message,
      refusal.code === 'permission-denied' ? help.forbidden : undefined,
    )
  if (list.status === 401) return findings.fail('authentication', 'The list of models needs a key.')
  findings.ok('authentication', KEY_PASSED)
}

/** Reports whether the server lists the model, unless the probe has already shown that. */
function checkListing({ findings }: Examination, { model, list, help }: Evidence): void {
  const { models } = list
  if (findings.has('model') || !models || model === '') return
  if (offers(models, model)) return findings.ok('model', `The server lists ${model}.`)
  if (help.ignoresModel)
    return findings.warn('model', `The server serves its own model. ${listModelNames(models)}`)
  const message = `The server does not have ${model}. ${listModelNames(models)}`
  findings.fail('model', message, help.model(model))
}

function listModelNames(models: readonly string[]): string {
  if (models.length === 0) return 'Models: none.'
  const more = models.length > 20 ? ` and ${models.length - 20} more` : ''
  return `Models: ${models.slice(0, 20).join(', ')}${more}.`
}
