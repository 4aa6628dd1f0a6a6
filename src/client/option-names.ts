/**
 * Option names, by the function or option that takes them. `name:kind|kind` lists the types that an option takes.
 * `name=word|kind` lists its allowed strings and types. Text keeps it small. test/types/option-names.test-d.ts checks
 * that no name is missing.
 */
export const OPTION_NAMES = {
  createAgent:
    'model instructions:string values:object tools:array enabledTools:array controlTools:array skills:array questionFields:boolean context:function toolApproval=never|destructive|writes|always|function whileTainted=ask-effects|ask-writes|allow consent=person|page beforeToolCall:function afterToolCall:function beforeModel:function redact:function verify:function verifyRounds verifyTimeoutMs:number reflect:object maxSteps retries maxChildren memory:object|array compaction:object|boolean limits:object storage=memory|object retention:object titles:object|boolean worker:function workerUrl engines:array raw:boolean requests:boolean heartbeatMs:number',
  configure: 'model instructions:string values:object',
  run: 'conversationId signal maxSteps retries maxChildren limits:object ifBusy=refuse|queue|replace history values:object|boolean',
  send: 'when=next-step|now|after-run|soonest values:object|boolean',
  resume: 'interrupted=tell-model|ask waitForToolsMs:number',
  approve: 'input remember=run|conversation consent',
  settle: 'output error',
  fork: 'at',
  rows: 'after:number',
  export: 'through:number',
  registerTool: 'signal replace:boolean',
  extract: 'schema input retries:number signal onUsage:function',
  model:
    'provider:string model:string baseURL apiKey:string|function headers:object|function credentials=omit|same-origin api=responses|chat toolMode=auto|native|action inputMode=messages|prompt contextWindow:number temperature:number maxOutputTokens:number topP:number stop:array seed:number|negative toolChoice=auto|none|required|object parallelToolCalls:boolean strictTools:boolean cache:boolean extraBody:object transport=worker|page retry:object timeouts:object caps:object rescue=auto|off prices:object script:object',
  tool: 'name title:string description:string inputSchema jsonSchema applyDefaults:boolean annotations:object remote:object timeoutMs:number sequential:boolean needsApproval:boolean|function commits:function consentKey:function describe:function secretsIn:function available:function dispose:function reconcile:function undo:function toModelOutput:function metadata execute:function',
  asTool:
    'name:string title:string description:string inputSchema toPrompt:function output maxSteps:number needsApproval:boolean',
  compositeTool: 'run version:string',
  // `title` is MCP's: it has no effect here and does no harm.
  annotations:
    'readOnly:boolean destructive:boolean idempotent:boolean supersedes:boolean untrustedContent:boolean openWorld:boolean reversible:boolean title',
  remote: 'source:string endpoint:string trusted:boolean',
  controlTools: 'ask_user finish_task plan',
  skills:
    'name:string description:string instructions:string files:object tools:array restrictTools:array metadata loaded:boolean',
  compaction:
    'contextWindow:number at:number policy=auto|clear-results|summarize|drop-oldest|function',
  limits: 'steps:number tokens:number costUSD:number minutes:number',
  prices: 'input:number cachedInput:number cacheWrite:number output:number',
  storage: 'name:string type:string',
  titles: 'model',
  reflect: 'instructions:string model mode=annotate|replace timeoutMs:number',
  retention: 'days:number conversations:number bytes:number',
  retry: 'maxRetries:number baseDelayMs:number maxDelayMs:number',
  timeouts: 'firstChunkMs:number idleMs:number',
  caps: 'calls:number text:number reasoning:number arguments:number metadata:number files:number',
  toolChoice: 'toolName:string',
  script: 'steps scenes fallback paceMs pieceLength',
  scenes: 'match steps',
  steps: 'text reasoning toolCalls error delayMs',
  toolCalls: 'toolName input',
} as const
