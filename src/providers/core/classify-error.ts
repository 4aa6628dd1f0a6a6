import type { ErrorCode } from '../../protocol/error.ts'

/** A provider's refusal. `status` is undefined for an error inside a stream. */
export interface Refusal {
  readonly status?: number
  readonly labels: readonly string[]
  readonly message: string
  /** The field of the request that was refused, as a path. */
  readonly field?: string
}

/**
 * Patterns that classify vendors' errors if the status alone isn't enough. The first match decides. Labels are `code`
 * and `type` of the error body. Links are removed from messages before matching; one matching pattern of a list is
 * enough. The name next to a pattern is the vendor that it was made for. Patterns without a name fit many vendors.
 */
const patterns: readonly (readonly [ErrorCode, labels: RegExp, messages: readonly RegExp[]])[] = [
  [
    'content-filtered',
    /^(content_filter|content_policy_violation|data_inspection_failed|1301)$/,
    [
      /content (?:filtering |management )?policy|usage polic|violates our|responsible ?ai/, // OpenAI, Anthropic, Azure
      /content exists risk/, // DeepSeek
      /may contain (?:inappropriate|sensitive) /, // DashScope, Volcengine
      /blocked by (?:a |the )?guardrail|was flagged/,
    ],
  ],
  [
    'rate-limited',
    /^(rate_limit\w*|too_many_requests|tokens|requests|1002|1039)$/,
    [
      /\brate.?limit (?:reached|exceeded)|too many requests|(?:retry|try again) in \d|per[- ]minute/,
    ],
  ],
  [
    'quota-exceeded',
    /^(insufficient_quota|billing\w*|arrearage|insufficient_balance|quota_exceeded|1008)$/,
    [
      /exceeded your current quota/, // OpenAI, Gemini
      /credit balance is too low/, // Anthropic
      /insufficient (?:balance|credits?|funds|quota)|out of credits/,
      /billing|payment required|quota (?:has been )?exceeded/,
      /api usage limits|spending limit/, // Anthropic
    ],
  ],
  // Limits of the answer, not of the conversation.
  ['bad-request', /(?!)/, [/(?<!and \W?)max_\w*tokens\W+exceeds|too many tokens requested/]],
  [
    'context-overflow',
    /^(context_length_exceeded|exceed_context_size_error|context_window_exceeded|model_context_window_exceeded|request_too_large)$/,
    [
      /(?:maximum|available|model'?s?|the) context (?:length|size|window)/, // OpenAI, vLLM, llama.cpp
      /context (?:length|size|window)\s?(?:is |was |has been )?(?:exceed|overflow|too)/, // MiniMax
      /exceeds?\b[^.]{0,40}\bcontext (?:length|size|window|limit)/, // Anthropic, llama.cpp
      /(?:input|prompt|request) (?:is |was )?too (?:long|large|big)/, // Anthropic, llama.cpp before 2025
      /too (?:long|large) for (?:the |this )?(?:model|context)/,
      /longer than the maximum model length/, // vLLM
      /reached context length|when context the overflows/, // LM Studio
      /context shift is disabled/, // llama.cpp
      /prompt exceeds max length/, // Zhipu
      /exceeded model token limit/, // Moonshot
      /range of input length should be/, // DashScope
      /too many tokens\b/, // Cohere
      /exceeds the maximum number of tokens/, // Gemini
      /tokens (?:of input )?exceeds? (?:the )?(?:model|configured) limit/, // Volcengine
      /max_new_tokens\W* must be/, // Together
      /must have less than \d+ tokens/, // TGI
      /maximum (?:prompt|allowed input) length/, // xAI
      /input length and `?max_tokens`? exceed/, // Anthropic
    ],
  ],
  [
    'tools-unsupported',
    /^tools?_(?:not_supported|unsupported)$/,
    [
      /does(?: not|n't) support (?:\w+ )?(?:tools?|functions?)\b/, // Ollama
      /(?:tools?|function)(?: use| choice| calling|_call)?\b[^.]{0,30}(?:\bnot|n't) (?:supported|enabled|available)/,
      /tools? (?:choice|param) requires/, // vLLM, llama.cpp
      /custom template is not supported/, // llama.cpp
      /no endpoints found that support tool/, // OpenRouter
      /unsupported (?:parameter|field)[^.]{0,20}\btools\b/,
    ],
  ],
  // Schema errors may quote other errors: `$ref #/$defs/model, model not found`.
  ['bad-request', /(?!)/, [/failed to parse grammar|json schema/]],
  [
    'model-not-found',
    /^(model_not_found|model_not_available|model_not_supported|model_decommissioned|invalid_model)$/,
    [
      /^model: \S+$/, // Anthropic
      /model\b[^\n]{0,120}(?:not found|does not exist|doesn't exist|is not available|not loaded)/,
      /\bmodel[ :]+[^\s,]+ has been deprecated/,
      /no models? (?:is |are )?loaded/, // LM Studio
      /try pulling it/, // Ollama
      /unknown model(?! param)|invalid model\b|no such model|not a valid model|model not exist|model identifier is invalid/,
    ],
  ],
  [
    'authentication',
    /^(invalid_api_key|authentication_error|invalid_authentication|unauthorized|unauthenticated|1004)$/,
    [
      /(?:invalid|incorrect|missing|no|expired) (?:api|access|auth\w*|bearer|proxy server)[ _-]?(?:key|token)|api key (?:not (?:valid|found)|expired)|bad credentials|unauthorized(?! param)/,
    ],
  ],
  ['permission-denied', /^(permission_error|permission_denied|forbidden|access_denied)$/, []],
  [
    'overloaded',
    /^(overloaded_error|overloaded|service_unavailable|unavailable|engine_overloaded\w*)$/,
    [/overloaded|server (?:is )?busy|at capacity|loading model|model is (?:still )?loading/],
  ],
  ['timeout', /^(timeout|timeout_error|request_timeout)$/, []],
  [
    'bad-request',
    /^(invalid_request_error|bad_request|badrequesterror|invalid_request)$/,
    // Failures in chat templates and image processing happen inside the server, which responds with status 500.
    [
      /jinja|\btemplate\b|unauthorized param|\b(?:image|audio|video)s? (?:inputs? )?(?:is|are) not supported|(?:does not|doesn't) support (?:\w+ )?(?:image|vision|audio|video|file)|\broles? (?:must|not|is not)\b|only \w+.{0,30}roles? (?:are|is) supported|(?:system|developer) (?:role|message|instruction)s? (?:is |are )?not/,
    ],
  ],
  [
    'server-error',
    /^(api_error|server_error|internal_server_error|internal_error|internalservererror|internal|1000|1013)$/,
    [/internal (?:server )?error/],
  ],
]

const codeByStatus: { readonly [status: number]: ErrorCode } = {
  401: 'authentication',
  402: 'quota-exceeded',
  403: 'permission-denied',
  408: 'timeout',
  409: 'server-error',
  413: 'context-overflow',
  425: 'server-error',
  429: 'rate-limited',
  503: 'overloaded',
  529: 'overloaded',
}

/** The meaning of an HTTP status on its own. */
function codeOfStatus(status = 0): ErrorCode | undefined {
  if (status < 400) return undefined
  return codeByStatus[status] ?? (status >= 500 ? 'server-error' : 'bad-request')
}

/** Statuses that decide regardless of the message. */
const decisiveStatuses: ReadonlySet<number> = new Set([401, 402, 529])
/** Codes found in a message that override a 5xx. */
const overridesOfFailure: ReadonlySet<ErrorCode> = new Set([
  'context-overflow',
  'tools-unsupported',
  'rate-limited',
  'overloaded',
  'bad-request',
])
/** Codes found in a message that override other statuses with a meaning of their own. */
const overridesOfStatus: ReadonlySet<ErrorCode> = new Set([
  ...overridesOfFailure,
  'quota-exceeded',
  'model-not-found',
])

/** The code for a provider's refusal, from its status, labels and message. */
export function classifyError({ status, labels, message, field }: Refusal): ErrorCode {
  const byStatus = codeOfStatus(status)
  if (field === 'tools' || field === 'functions') return 'tools-unsupported'
  if (byStatus !== undefined && status !== undefined && decisiveStatuses.has(status))
    return byStatus
  const byText = codeOfText(labels, message)
  if (byStatus === undefined) return byText ?? 'provider-error'
  if (byText === undefined) return byStatus
  // A refused request isn't the server's failure, even if the error's label says so.
  if (byStatus === 'bad-request') return byText === 'server-error' ? byStatus : byText
  const overrides = (status ?? 0) >= 500 ? overridesOfFailure : overridesOfStatus
  return overrides.has(byText) ? byText : byStatus
}

function codeOfText(labels: readonly string[], message: string): ErrorCode | undefined {
  const lowered = labels.map((label) => label.toLowerCase())
  const text = message.toLowerCase().replace(/https?:\/\/\S+/g, '')
  // The request alone exceeds a limit per minute (Groq, OpenAI), so waiting doesn't help.
  if (/request too large for/.test(text)) return 'context-overflow'
  const labelled = patterns.find(([, pattern]) => lowered.some((label) => pattern.test(label)))
  const matched = patterns.find(([, , messages]) => messages.some((pattern) => pattern.test(text)))
  // A specific label decides. A general label decides only where the message matches no pattern.
  if (labelled && !generalCodes.has(labelled[0])) return labelled[0]
  return matched?.[0] ?? labelled?.[0]
}

const generalCodes: ReadonlySet<ErrorCode> = new Set([
  'bad-request',
  'server-error',
  'permission-denied',
  'authentication',
])
