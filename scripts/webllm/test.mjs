// npm run test:webllm: a compiled model in WebLLM itself, on Chromium's software WebGPU. The model's folder is named by
// OFFSTAGE_WEBLLM_MODEL: none is shipped, and none is fetched.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fail, requireNode } from '../lib/install.mjs'
import { endLongRun } from '../lib/long-run/end.mjs'
import { playInChromium } from '../lib/play.mjs'
import { tallyOfTotals } from '../lib/long-run/tally.mjs'
import { inProject } from '../lib/project.mjs'
import { npm } from '../lib/run.mjs'
import { playwrightTotals } from '../lib/test-totals.mjs'
import { unpack } from '../lib/unpack.mjs'

const PACKAGE = '@mlc-ai/web-llm'
const VERSION = '0.2.86'

requireNode()
const named = process.env.OFFSTAGE_WEBLLM_MODEL
if (named) await playModel(path.resolve(named))
else
  console.log(
    'Skipped: OFFSTAGE_WEBLLM_MODEL names no folder. It takes a model compiled for WebLLM: mlc-chat-config.json, ' +
      "the tokenizer, the weights, and the model library (.wasm), whose kernels don't need shader-f16 (q4f32, for example).",
  )

async function playModel(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const libraries = files.filter((file) => file.endsWith('.wasm'))
  if (!files.includes('mlc-chat-config.json') || libraries.length !== 1)
    fail(`${folder} needs mlc-chat-config.json and one .wasm file, the model library.`)

  const args = process.argv.slice(2)
  const { code, report } = await playInChromium(
    'webllm',
    ['--config', 'test/webllm/playwright.config.ts', ...args],
    {
      env: {
        OFFSTAGE_WEBLLM_MODEL: folder,
        OFFSTAGE_WEBLLM_LIBRARY: libraries[0],
        OFFSTAGE_WEBLLM_PACKAGE: await ensureWebLLM(),
      },
    },
  )
  endLongRun({
    row: 'webllm',
    tally: tallyOfTotals(report && playwrightTotals(report)),
    code,
    unit: 'tests',
    isWhole: args.length === 0,
  })
}

/** The folder of WebLLM's module, which is fetched once and kept. It is an optional peer, and no dependency. */
async function ensureWebLLM() {
  const cache = inProject('.cache/webllm')
  const tarball = path.join(cache, `mlc-ai-web-llm-${VERSION}.tgz`)
  const lib = path.join(tarball.replace(/\.tgz$/, ''), 'package/lib')
  if (existsSync(path.join(lib, 'index.js'))) return lib
  mkdirSync(cache, { recursive: true })
  const { code, output } = await npm(['pack', `${PACKAGE}@${VERSION}`, '--silent'], {
    cwd: cache,
    quiet: true,
  })
  if (code !== 0) fail(`${PACKAGE} could not be fetched:\n${output}`)
  await unpack(tarball)
  return lib
}
