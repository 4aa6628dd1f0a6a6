// Runs in the page: documents of invented words in three languages, and one fact to be found in each language.
import { documentMemory } from '/dist/memory.js'
import { watchFrames } from './watch-frames.js'

const SYLLABLES = 'ka lo mi ren tas vo be shi dur pel gan hof zu nek ori sta lum wer'.split(' ')
const HAN =
  '的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长'
const FACTS = [
  ['English', 'The lighthouse keeper paints the railing every spring.', 'Who paints the railing?'],
  ['Chinese', '灯塔守护人每年春天粉刷栏杆。', '谁粉刷栏杆？'],
  [
    'German',
    'Der Leuchtturmwärter streicht jedes Frühjahr das Geländer.',
    'Wer streicht das Geländer?',
  ],
]
const CHARACTERS = 50_000

export async function index(options) {
  const memory = memoryOf(options)
  const frames = watchFrames()
  const startedAt = performance.now()
  const { failed, storage } = await memory.index()
  const time = performance.now() - startedAt
  const frame = frames.stop()
  if (failed.length > 0 || storage !== 'durable') throw new Error('the documents are not kept')
  const documents = await memory.documents()
  return {
    time,
    frame,
    documents: documents.length,
    parts: documents.reduce((sum, { parts }) => sum + parts, 0),
  }
}

export async function find(options) {
  const memory = memoryOf(options)
  const frames = watchFrames()
  const startedAt = performance.now()
  await memory.retrieve('railing', { limit: 8, signal: new AbortController().signal, warn() {} })
  const cold = performance.now() - startedAt
  const frame = frames.stop()
  const warm = {}
  for (const [language, fact, question] of FACTS) {
    const queryStartedAt = performance.now()
    const [best] = await memory.search(question)
    warm[language] = performance.now() - queryStartedAt
    if (!best?.text.includes(fact)) throw new Error(`${fact} was not found for ${question}`)
  }
  return { cold, frame, warm }
}

function memoryOf({ megabytes, round }) {
  const count = Math.round((megabytes * 1_000_000) / CHARACTERS)
  return documentMemory({
    storage: { name: `bench-documents-${round}` },
    trusted: true,
    sources: Array.from({ length: count }, (_, n) => ({
      name: `document ${n}`,
      text: textOf(n, count),
    })),
  })
}

/** Bytes of Chinese characters count as one each. */
function textOf(n, count) {
  const random = randomOf(n + 1)
  const isChinese = n % 3 === 1
  const fact = FACTS.find((_, at) => n === Math.floor(count / 2) + at)
  let text = fact ? `${fact[1]}\n\n` : ''
  while (text.length < CHARACTERS) {
    if (random() < 0.02) text += `\n\n## ${sentence(random, isChinese)}\n\n`
    text += sentence(random, isChinese)
  }
  return text
}

function sentence(random, isChinese) {
  if (isChinese)
    return `${Array.from({ length: 20 }, () => HAN[Math.floor(random() * HAN.length)]).join('')}。`
  const word = () =>
    Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => SYLLABLES[Math.floor(random() ** 2 * SYLLABLES.length)],
    ).join('')
  return `${Array.from({ length: 12 }, word).join(' ')}. `
}

function randomOf(seed) {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
