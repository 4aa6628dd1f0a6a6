import type { ErrorData } from '../../protocol/error.ts'
import { watchPolicy } from '../../protocol/policy.ts'
import { httpError } from '../core/provider-error.ts'
import type { ProviderConfig } from '../create-provider.ts'
import { entersLocalNetwork, isMixedContent } from './address.ts'
import { throwIfAborted, type Outcome } from './ask.ts'
import { examineEngine } from './examine-engine.ts'
import { shown, Examination, type DiagnoseOptions } from './examination.ts'
import { explainNoAnswer } from './explain-no-answer.ts'
import { checkModel } from './check-model.ts'
import { listModels, type ModelList } from './list-models.ts'
import { describeNonEndpoint, findEndpoint, formatAt, probeEndpoint } from './find-endpoint.ts'
import type { Diagnosis } from './report.ts'
import { helpFor, serverOf } from './server-help.ts'
import { pageOf, type Page } from './browser-environment.ts'
import { planRequest, type Plan } from './probe-model.ts'

/**
 * Reports whether a model can be used, and if not, why: the address, what the browser puts in
 * between, the key, the model, streaming and tools. Sends a handful of small requests and, unless
 * `probe` is false, one for a real tool call, two more where none came. Works in pages, workers and Node.
 *
 * Never rejects for what a configuration or an endpoint can do; only when `signal` is aborted.
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
  return examination.findings.report(models, (text) => examination.clean(text))
}

async function examineEndpoint(examination: Examination): Promise<readonly string[] | undefined> {
  const { findings } = examination
  const plan = await planRequest(examination)
  if (!('url' in plan)) {
    const isKey = plan.code === 'authentication'
    findings.fail(isKey ? 'authentication' : 'configuration', plan.message)
    return undefined
  }
  findings.ok('configuration', `Requests go to ${shown(plan.url)}.`)
  const page = pageOf(examination.options.page)
  const help = helpFor(serverOf(examination.config.provider, plan.url))
  const policy = watchPolicy(plan.url.href)
  try {
    const outcome = await probeEndpoint(examination, plan)
    if (outcome.type === 'answer') {
      passReach(examination, plan, page)
      return await examineAnswer(examination, { plan, outcome })
    }
    const list = await listModels(examination, plan, plan.url)
    if (list.models && (await answersReal(examination, plan, list))) {
      passReach(examination, plan, page)
      return list.models
    }
    await explainNoAnswer(examination, { plan, outcome, page, policy, help, list })
    return list.models
  } finally {
    policy.stop()
  }
}

/** An answer was seen, so nothing blocked it. */
function passReach({ findings }: Examination, { url }: Plan, page: Page | undefined): void {
  findings.ok('server', `${url.origin} answers.`)
  if (!page) {
    const message = 'No browser is in between here.'
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
  if (isMixedContent(page.url, url)) findings.ok('mixed-content', 'The browser let it through.')
  else findings.skip('mixed-content', 'None: the request is as safe as the page.')
  if (entersLocalNetwork(page.url, url)) findings.ok('local-network', 'The browser let it through.')
  else findings.skip('local-network', 'Needs no permission of the browser.')
  if (page.origin === url.origin) findings.skip('cors', "The page's own origin needs none.")
  else findings.ok('cors', `The server lets pages of ${page.origin} in.`)
}

interface Reached {
  readonly plan: Plan
  readonly outcome: Extract<Outcome, { type: 'answer' }>
}

/** @returns the models that the server lists. */
async function examineAnswer(
  examination: Examination,
  { plan, outcome }: Reached,
): Promise<readonly string[] | undefined> {
  const { findings } = examination
  const refusal = refusalOf(outcome)
  const strange = describeNonEndpoint(outcome)
  if (strange !== undefined && refusal?.code !== 'model-not-found') {
    const endpoint = await findEndpoint(examination, plan)
    const fix = endpoint
      ? `Set ${endpoint.setting}`
      : 'Check the path of the baseURL; most servers want it to end in /v1.'
    findings.fail('path', `${shown(plan.url)} ${strange}.`, fix)
    return endpoint && (await listModels(examination, plan, endpoint.url)).models
  }
  const isClosed = refusal?.code === 'authentication' || refusal?.code === 'permission-denied'
  if (!isClosed && outcome.status < 500)
    findings.ok('path', `A model endpoint answers there, in ${formatAt(plan.url)}.`)
  const list = await listModels(examination, plan, plan.url)
  const server = serverOf(examination.config.provider, plan.url, list.owner)
  await checkModel(examination, {
    model: plan.model,
    list,
    help: helpFor(server),
    server,
    ...(isClosed && refusal && { refusal }),
  })
  return list.models
}

/** A server may get stuck at the empty request, and answer the real one. */
async function answersReal(
  examination: Examination,
  plan: Plan,
  list: ModelList,
): Promise<boolean> {
  if (examination.options.probe === false) return false
  const server = serverOf(examination.config.provider, plan.url, list.owner)
  const evidence = { model: plan.model, list, help: helpFor(server), server }
  return checkModel(examination, evidence, { unlessSilent: true })
}

function refusalOf({ status, headers, body }: Reached['outcome']): ErrorData | undefined {
  if (status < 400) return undefined
  // A Response that is made by hand can't have a higher one.
  return httpError(new Response(null, { status: Math.min(status, 599), headers }), body)
}
