import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fail } from './install.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/** Playwright turns these off; of two `--disable-features` Chromium reads the last only. */
const OFF_BY_PLAYWRIGHT = [
  'AimEnabled',
  'AutoDeElevate',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'BlockOriginHeaderModificationOnRedirect',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
]

/** Pages of the browser's own windows, and a process in reserve: half of what an empty page costs. */
const NOT_TESTED = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
]

/** Flags for machines without a display, a GPU or user namespaces. They also silence Chromium's background traffic. */
export const CHROMIUM_ARGS = [
  `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...NOT_TESTED].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Which program to prefer. `shell` is Chromium's headless shell: the same engine without the browser's own windows,
 * which take half of a test's CPU time. Where there is no shell, the browser is used.
 *
 * @typedef {'shell' | 'browser'} Preferred
 */

/** Path of the Chromium to test in, or undefined when none is on this machine. */
export async function findChromium(/** @type {Preferred} */ preferred = 'browser') {
  return (await installedChromiums(preferred))[0]
}

/** Path of a Chromium that starts; installs one where that is allowed, else ends the process. */
export async function ensureChromium(/** @type {Preferred} */ preferred = 'browser') {
  const found = await firstThatStarts(await installedChromiums(preferred))
  if (found) return found
  // Whoever names a browser wants that one.
  if (namedChromium()) return fail(`${namedChromium()} (named by the environment) does not start.`)

  console.log("Installing Chromium (Playwright's download, into its own cache) …")
  await playwrightDownload(preferred)
  const downloaded = await firstThatStarts(await installedChromiums(preferred))
  if (downloaded) return downloaded

  if (mayUseApt()) {
    const name = preferred === 'shell' ? 'chromium-headless-shell' : 'chromium'
    console.log(`Installing Chromium with its libraries (apt-get install ${name}) …`)
    await aptInstall(name)
    const packaged = await firstThatStarts(await installedChromiums(preferred))
    if (packaged) return packaged
  }
  return fail(
    'No Chromium was found that starts, and none could be installed. The browser tests need one:\n' +
      '  - install Chrome or Chromium, or run: npx playwright install --with-deps chromium\n' +
      '  - or set OFFSTAGE_CHROMIUM to the path of its program.',
  )
}

function namedChromium() {
  return process.env.OFFSTAGE_CHROMIUM || process.env.CHROME_PATH
}

async function installedChromiums(preferred) {
  const named = namedChromium()
  if (named && !existsSync(named)) fail(`OFFSTAGE_CHROMIUM or CHROME_PATH: there is no ${named}.`)
  if (named) return [named]
  const { chromium } = await import('@playwright/test')
  const downloaded = chromium.executablePath()
  const browsers = [downloaded, ...systemPaths()]
  const shells = [...downloadedShells(downloaded), ...onPath('chromium-headless-shell')]
  const all = preferred === 'shell' ? [...shells, ...browsers] : browsers
  return all.filter((file) => file && existsSync(file))
}

/** Playwright keeps its headless shell in a folder beside the browser's, of the same revision. */
function downloadedShells(browser) {
  const [, folder, revision] = /^(.+)[\\/]chromium-(\d+)[\\/]/.exec(browser ?? '') ?? []
  const shell = path.join(folder ?? '', `chromium_headless_shell-${revision}`)
  if (!folder || !existsSync(shell)) return []
  return readdirSync(shell, { recursive: true })
    .filter((file) => /(?:^|[\\/])(?:chrome-)?headless[_-]shell(?:\.exe)?$/.test(file))
    .map((file) => path.join(shell, file))
}

function systemPaths() {
  if (process.platform === 'win32') {
    const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    const programs = [
      'Google\\Chrome\\Application\\chrome.exe',
      'Chromium\\Application\\chrome.exe',
    ]
    return folders
      .map((name) => process.env[name])
      .filter(Boolean)
      .flatMap((folder) => programs.map((program) => path.join(folder, program)))
  }
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].flatMap((name) =>
      ['', process.env.HOME].map(
        (home) => `${home}/Applications/${name}.app/Contents/MacOS/${name}`,
      ),
    )
  }
  const programs = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'chrome',
  ]
  return programs.flatMap(onPath)
}

/** Where a program could be, by the `PATH` variable. */
export function onPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, program))
}

/** A browser may be there and still lack its libraries: only starting it tells. */
async function firstThatStarts(candidates) {
  const { chromium } = await import('@playwright/test')
  for (const executablePath of new Set(candidates)) {
    try {
      const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS })
      console.log(`Browser: Chromium ${browser.version()} (${executablePath})`)
      await browser.close()
      return executablePath
    } catch (error) {
      const reason = String(error.message).split('\n').slice(0, 3).join('\n  ')
      console.log(`${executablePath} does not start:\n  ${reason}`)
    }
  }
  return undefined
}

async function playwrightDownload(preferred) {
  const cli = inProject('node_modules/playwright/cli.js')
  const flag = preferred === 'shell' ? '--only-shell' : '--no-shell'
  await run(process.execPath, [cli, 'install', flag, 'chromium'])
}

/** Never on somebody's own machine: only as root, and only in CI or a container. */
export function mayUseApt() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return false
  }
  const container = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  return Boolean(process.env.CI || process.env.container || container)
}

export async function aptInstall(...packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-q'], { env })
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], { env })
}
