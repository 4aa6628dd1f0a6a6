// node scripts/llms.mjs [folder]: writes llms.txt and llms-full.txt into the folder (default: .cache/llms), as packing does.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { LLMS_FILES, writeLlms } from './lib/llms.mjs'
import { inProject } from './lib/project.mjs'

const folder = path.resolve(process.argv[2] ?? inProject('.cache/llms'))
mkdirSync(folder, { recursive: true })
writeLlms(folder)
for (const file of LLMS_FILES.map((name) => path.join(folder, name))) {
  const text = readFileSync(file, 'utf8')
  console.log(`${file}: ${countTokens(text, { disallowedSpecial: new Set() })} tokens`)
}
