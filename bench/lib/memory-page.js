// Runs in the page: a memory of many entries in four languages.
import { keywordMemory } from '/dist/memory.js'
import { watchFrames } from './watch-frames.js'

const options = { storage: { name: 'bench-memory' }, maxEntries: 20_000 }
const WORDS = {
  English:
    'shop order kettle window green paper delivery invoice garden holiday train letter'.split(' '),
  Chinese: '商店 订单 水壶 窗户 绿色 纸张 送货 发票 花园 假期 火车 信件'.split(' '),
  Japanese: '店舗 注文 やかん 窓 緑色 用紙 配達 請求書 庭園 休暇 列車 手紙'.split(' '),
  German:
    'Laden Bestellung Kessel Fenster grün Papier Lieferung Rechnung Garten Urlaub Zug Brief'.split(
      ' ',
    ),
}
const QUERIES = {
  English: 'Which kettle did I order for the garden?',
  Chinese: '我为花园订购了哪个水壶?',
  Japanese: '庭園のためにどのやかんを注文しましたか?',
  German: 'Welchen Kessel habe ich für den Garten bestellt?',
}

export async function seed({ entries }) {
  const memory = keywordMemory(options)
  const languages = Object.values(WORDS)
  for (let n = 0; n < entries; n++) {
    const words = languages[n % languages.length]
    const chosen = Array.from(
      { length: 12 },
      (_, k) => words[(n * 7 + k * k * (n % 5)) % words.length],
    )
    await memory.remember(`${chosen.join(' ')} ${n}`)
  }
}

export async function find() {
  const memory = keywordMemory(options)
  const frames = watchFrames()
  const startedAt = performance.now()
  await memory.search('Papier')
  const cold = performance.now() - startedAt
  const warm = {}
  for (const [language, query] of Object.entries(QUERIES))
    warm[language] = await timeOf(memory, query)
  return { cold, warm, frame: frames.stop() }
}

async function timeOf(memory, query) {
  const startedAt = performance.now()
  const found = await memory.search(query)
  if (found.length === 0) throw new Error(`nothing was found for ${query}`)
  return performance.now() - startedAt
}
