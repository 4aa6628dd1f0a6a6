/**
 * The names of options, by what they are options of; where that is an option itself, by its name, and
 * after each the kinds of values it takes (see `KINDS`), or after `=` the words. In text, for its size; test/types/option-names.test-d.ts sees that none is missing.
 */
export const OPTION_NAMES = {
  createAgent:
    'model instructions$ values% tools@ enabledTools@ controlTools@ context& toolApproval beforeToolCall& afterToolCall& maxSteps retries storage worker& workerUrl engines@ raw? heartbeatMs#',
  configure: 'model instructions$ values%',
  run: 'conversationId signal maxSteps retries ifBusy=refuse|queue|replace history values%?',
  resume: 'interrupted=tell-model|ask waitForToolsMs#',
  approve: 'input',
  registerTool: 'signal replace?',
  extract: 'schema input retries# signal onUsage&',
  model:
    'provider$ model$ baseURL apiKey$& headers%& credentials=omit|same-origin toolMode=auto|native|action contextWindow# temperature# maxOutputTokens# topP# stop@ seed~ toolChoice=auto|none|required parallelToolCalls? extraBody% transport=worker|page retry timeouts caps rescue=auto|off script',
  tool: 'name title$ description$ inputSchema jsonSchema annotations timeoutMs# sequential? needsApproval?& available& dispose& reconcile& toModelOutput& metadata execute&',
  // The last two are MCP's: they mean nothing here and do no harm.
  annotations: 'readOnly? destructive? idempotent? title openWorldHint',
  controlTools: 'ask_user finish_task',
  storage: 'name$',
  retry: 'maxRetries# baseDelayMs# maxDelayMs#',
  timeouts: 'firstChunkMs# idleMs#',
  caps: 'calls# text# reasoning# arguments#',
  toolChoice: 'toolName$',
  script: 'steps scenes fallback paceMs pieceLength',
  scenes: 'match steps',
  steps: 'text reasoning toolCalls error delayMs',
  toolCalls: 'toolName input',
} as const
