import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { ensureChromium } from '../browser.mjs'
import { installDependencies, requireNode } from '../install.mjs'
import { inProject } from '../project.mjs'
import { bin, run } from '../run.mjs'

const FOLDER = '.cache/long-runs'

/** Installs what is missing and builds. Ends the process where that fails: an older build says nothing. */
export async function prepareBuild() {
  requireNode()
  await installDependencies()
  const { code } = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
  if (code !== 0) process.exit(code)
}

/** Runs browser tests in Chromium with the present build; `name` names the report. */
export async function playInChromium(name, args, { env, reporters } = {}) {
  requireNode()
  await installDependencies()
  const chromium = await ensureChromium()
  await prepareBuild()
  return playBrowserTests(name, args, { env: { ...env, OFFSTAGE_CHROMIUM: chromium }, reporters })
}

/** Runs Playwright. The report is null when it ended without one. */
export async function playBrowserTests(name, args, { env = {}, reporters = [] } = {}) {
  const report = newReport(name)
  const { code } = await bin(
    '@playwright/test',
    ['test', ...args, `--reporter=${['list', 'json', ...reporters].join()}`],
    {
      command: 'playwright',
      env: { ...process.env, ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: inProject(report) },
    },
  )
  return { code, report: readReport(report) }
}

/** Runs Vitest. The report is null when it ended without one. */
export async function playUnitTests(name, args, { env = {} } = {}) {
  const report = newReport(name)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await bin('vitest', ['run', ...args, ...reporters], {
    env: { ...process.env, ...env },
  })
  return { code, report: readReport(report) }
}

/** A report of an earlier run must not pass for this one's. */
function newReport(name) {
  mkdirSync(inProject(FOLDER), { recursive: true })
  const file = `${FOLDER}/${name}.json`
  rmSync(inProject(file), { force: true })
  return file
}

function readReport(file) {
  return existsSync(inProject(file)) ? JSON.parse(readFileSync(inProject(file), 'utf8')) : null
}
