/** The benchmarks of `bench/`: what each measures, and the line of its output that docs/quality.md shows. */
export const BENCHMARKS = {
  action: {
    description: 'time per character of reading ACTION output',
    headline: /^plain text +1000000 /,
  },
  chat: {
    description: 'main-thread time of the chat while an answer is written',
    headline: /^a token at 200 kB/,
  },
  'chat-long': {
    description: 'opening and scrolling long conversations in the chat',
    headline: / messages: the newest after /,
  },
  compaction: {
    description: 'a step late in a long run beside an early one',
    headline: /^auto /,
  },
  documents: {
    description: 'finding a passage in large documents',
    headline: /^first index/,
  },
  list: {
    description: 'the first list of many conversations',
    headline: /^first list /,
  },
  loop: {
    description: 'what a turn costs over a loop written by hand',
    headline: /^journaled /,
  },
  memory: {
    description: 'finding an entry among many',
    headline: /^first use/,
  },
  open: {
    description: 'opening a long conversation',
    headline: /^first open/,
  },
  page: {
    description: 'tokens and time of reading a page, beside other readers',
    headline: /\d+ \/ \d+, \d+ of \d+/,
  },
  peers: {
    description: 'the same conversations with other SDKs that run in a page',
    headline: /^80 000 deltas, main thread: /,
  },
  store: {
    description: 'what following and appends cost the HTTP store',
    headline: / beside 20 /,
  },
  stream: {
    description: 'main-thread time of a long answer, beside a plain fetch loop',
    headline: /^1 000 deltas/,
  },
  validation: {
    description: 'checking a large input, beside the same with Ajv',
    headline: /^ *10000 rows/,
  },
}

/** The long runs in the order of docs/quality.md: a description, and the command that repeats it. */
export const RUNS = {
  'torture-cells': {
    description: 'kills pages, workers and browsers in every state of a run',
    command: 'npm run torture',
  },
  'torture-tabs': {
    description: 'interleaves two and three tabs on one conversation',
    command: 'npm run torture -- tabs',
  },
  'torture-random': {
    description: 'kills them at random times',
    command: 'npm run torture -- random',
  },
  'torture-stores': {
    description:
      'devices on two servers of the HTTP store, while servers, database and network fail',
    command: 'npm run torture -- stores',
  },
  'soak-runs': {
    description: '2000 runs in one page, most with a fault',
    command: 'npm run soak -- runs',
  },
  'soak-day': {
    description: 'one tab for eight hours, with a redeploy',
    command: 'npm run soak -- day',
  },
  attack: {
    description: 'text on pages and in results that attacks the agent',
    command: 'npm run attack',
  },
  fuzz: {
    description: 'random outputs for the ACTION reader',
    command: 'npm run fuzz',
  },
  mutation: {
    description: 'small changes to the code that a unit test should notice',
    command: 'npm run mutate -- --sample 200',
  },
  more: {
    description: 'all tests, with the whole of each large matrix',
    command: 'npm run test:more',
  },
  consumers: {
    description: 'the package in apps of every bundler, framework and compiler',
    command: 'npm run test:consumers',
  },
  engines: {
    description: 'Firefox and WebKitGTK',
    command: 'npm run test:engines',
  },
  llama: {
    description: "llama.cpp's own server",
    command: 'npm run test:llama',
  },
  webllm: {
    description: "WebLLM with a compiled model, on Chromium's software WebGPU",
    command: 'npm run test:webllm',
  },
  ...Object.fromEntries(
    Object.entries(BENCHMARKS).map(([name, { description }]) => [
      `bench-${name}`,
      { description, command: `npm run bench -- ${name}` },
    ]),
  ),
}
