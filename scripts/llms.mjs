// node scripts/llms.mjs [folder]: writes llms.txt, as packing does, and llms-full.txt, as the site has it, into the folder
// (default: .cache/llms).
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LLMS_FILES, llmsFullTxt, writeLlms } from './lib/llms.mjs'
import { inProject } from './lib/project.mjs'

const folder = path.resolve(process.argv[2] ?? inProject('.cache/llms'))
mkdirSync(folder, { recursive: true })
writeLlms(folder)
writeFileSync(path.join(folder, 'llms-full.txt'), llmsFullTxt())
for (const file of [...LLMS_FILES, 'llms-full.txt'].map((name) => path.join(folder, name))) {
  const text = readFileSync(file, 'utf8')
  console.log(`${file}: ${countTokens(text, { disallowedSpecial: new Set() })} tokens`)
}
