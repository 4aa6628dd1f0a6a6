import * as builders from './builders.ts'
import * as environments from './environments.ts'
import type { ServedApp } from './serve-app.ts'

/** A way to use the packed package. Each is tested in Chromium, by a run with tools and reloads. */
export interface Setup {
  readonly title: string
  /** The app's folder in `apps`. */
  readonly app: string
  /** The builder's package, whose version is shown. */
  readonly builder?: string
  readonly serve: (folder: string) => Promise<ServedApp>
  /** Source of the worker: the package's file, copied or bundled, or its inlined text. */
  readonly worker: 'file' | 'inline'
  /** Steps that users have to take, in Markdown. Default: none. */
  readonly configuration?: string
  readonly remark?: string
  /** Warnings that the builder is allowed to print, and does. Default: none. */
  readonly reports?: RegExp
  /** Messages that are allowed in the page's console. Default: none. */
  readonly console?: RegExp
  /** Part of `npm test`: downloads little, takes seconds, and no other spec covers it more deeply. */
  readonly fast?: true
  /** Special browser that opens the app. Default: a plain one. */
  readonly browser?: 'extension' | 'lan'
  /** Expected values in the page. Default: secure and not isolated. */
  readonly facts?: { readonly isSecureContext?: false; readonly crossOriginIsolated?: true }
  /** The stored conversations don't survive a reload. */
  readonly forgets?: true
}

const SIZES = "it warns of the size of the worker's file"
/** The package asks for the worker's file again, to say why it didn't load. */
const NOT_FOUND = /404 \(Not Found\)/
const COPIED = 'copy `worker.js` and `worker-action.js` of `offstage/dist` beside the bundle'
const STATIC = { app: 'static', worker: 'file' } as const

export const setups: readonly Setup[] = [
  {
    title: 'Vite 8, dev server',
    app: 'vite-8',
    builder: 'vite',
    serve: builders.viteDev,
    worker: 'file',
    fast: true,
  },
  {
    title: 'Vite 8, build',
    app: 'vite-8',
    builder: 'vite',
    serve: builders.viteBuild,
    worker: 'file',
    fast: true,
  },
  {
    title: 'Vite 7, dev server',
    app: 'vite-7',
    builder: 'vite',
    serve: builders.viteDev,
    worker: 'inline',
    console: NOT_FOUND,
    remark:
      "it pre-bundles the package, can't find the worker beside it then, and says so in the terminal",
    reports: /does not exist.* optimize deps directory/,
    fast: true,
  },
  {
    title: 'Vite 7, dev server, excluded',
    app: 'vite-7',
    builder: 'vite',
    serve: builders.viteDevExcluding,
    worker: 'file',
    configuration: "`optimizeDeps: { exclude: ['offstage'] }`",
  },
  {
    title: 'Vite 7, build',
    app: 'vite-7',
    builder: 'vite',
    serve: builders.viteBuild,
    worker: 'file',
  },
  {
    title: 'webpack 5, build',
    app: 'webpack-5',
    builder: 'webpack',
    serve: builders.webpackBuild,
    worker: 'file',
    remark: SIZES,
    reports: /asset size limit|compiled with 1 warning/,
    fast: true,
  },
  {
    title: 'webpack 5, dev server',
    app: 'webpack-5-dev',
    builder: 'webpack',
    serve: builders.webpackDev,
    worker: 'file',
  },
  {
    title: 'Rspack, build',
    app: 'rspack',
    builder: '@rspack/core',
    serve: builders.rspackBuild,
    worker: 'file',
    remark: SIZES,
    reports: /asset size limit|compiled with 1 warning/,
  },
  {
    title: 'Rsbuild, build',
    app: 'rsbuild',
    builder: '@rsbuild/core',
    serve: builders.rsbuildBuild,
    worker: 'file',
  },
  {
    title: 'Parcel, dev server',
    app: 'parcel',
    builder: 'parcel',
    serve: builders.parcelDev,
    worker: 'file',
  },
  {
    title: 'Parcel, build',
    app: 'parcel',
    builder: 'parcel',
    serve: builders.parcelBuild,
    worker: 'file',
  },
  {
    title: 'Rollup',
    app: 'rollup',
    builder: 'rollup',
    serve: builders.rollupBuild({ copyWorker: true }),
    worker: 'file',
    configuration: `\`@rollup/plugin-node-resolve\`; ${COPIED}`,
  },
  {
    title: 'Rollup, nothing copied',
    app: 'rollup',
    builder: 'rollup',
    serve: builders.rollupBuild({ copyWorker: false }),
    worker: 'inline',
    console: NOT_FOUND,
    configuration: '`@rollup/plugin-node-resolve`',
  },
  {
    title: 'esbuild, ESM',
    app: 'esbuild',
    builder: 'esbuild',
    serve: builders.esbuildBuild({ format: 'esm', copyWorker: true }),
    worker: 'file',
    configuration: COPIED,
  },
  {
    title: 'esbuild, ESM with splitting',
    app: 'esbuild',
    builder: 'esbuild',
    serve: builders.esbuildBuild({ format: 'split', copyWorker: true }),
    worker: 'file',
    configuration: COPIED,
  },
  {
    title: 'esbuild, nothing copied',
    app: 'esbuild',
    builder: 'esbuild',
    serve: builders.esbuildBuild({ format: 'split', copyWorker: false }),
    worker: 'inline',
    console: NOT_FOUND,
  },
  {
    title: 'esbuild, IIFE',
    app: 'esbuild',
    builder: 'esbuild',
    serve: builders.esbuildBuild({ format: 'iife', copyWorker: false }),
    worker: 'inline',
    remark: 'such a script has no address of its own to find the file by',
  },
  {
    title: 'esbuild, IIFE with `workerUrl`',
    app: 'esbuild',
    builder: 'esbuild',
    serve: builders.esbuildBuild({ format: 'iife', entry: 'src/with-url.js', copyWorker: true }),
    worker: 'file',
    configuration: 'copy the files, and pass the address of `worker.js` as `workerUrl`',
  },
  {
    title: 'Next.js 16, Turbopack',
    app: 'next-16',
    builder: 'next',
    serve: builders.nextBuild('turbopack'),
    worker: 'file',
  },
  {
    title: 'Next.js 16, webpack',
    app: 'next-16',
    builder: 'next',
    serve: builders.nextBuild('webpack'),
    worker: 'file',
  },
  {
    title: 'SvelteKit',
    app: 'sveltekit',
    builder: '@sveltejs/kit',
    serve: builders.svelteKitBuild,
    worker: 'file',
  },

  { ...STATIC, title: 'static files', serve: environments.modules, fast: true },
  { ...STATIC, title: 'import map', serve: environments.importMap, fast: true },
  {
    ...STATIC,
    title: 'a builder that only copies',
    serve: environments.copied,
    configuration: 'copy the whole of `node_modules/offstage/dist`',
    fast: true,
  },
  { ...STATIC, title: '`<script>`', serve: environments.script, fast: true },
  {
    ...STATIC,
    title: '`<script>` from another origin',
    serve: environments.scriptElsewhere,
    worker: 'inline',
    remark: 'the package is served as from a CDN',
    fast: true,
  },
  {
    ...STATIC,
    title: 'strict CSP',
    serve: (folder) =>
      environments.modules(folder, {
        'content-security-policy':
          "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src data:",
      }),
    configuration: "`script-src 'self'; worker-src 'self'`, `connect-src` for the model",
    fast: true,
  },
  {
    ...STATIC,
    title: 'Trusted Types',
    serve: (folder) =>
      environments.modules(folder, {
        'content-security-policy': "require-trusted-types-for 'script'; trusted-types offstage",
      }),
    configuration: '`trusted-types offstage`, where policies are limited',
  },
  {
    ...STATIC,
    title: 'cross-origin isolated (COOP, COEP)',
    facts: { crossOriginIsolated: true },
    serve: (folder) =>
      environments.modules(folder, {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      }),
    configuration: "the worker's file has the COEP header, too",
    fast: true,
  },
  {
    ...STATIC,
    title: 'under a service worker',
    serve: environments.underServiceWorker,
    fast: true,
  },
  {
    ...STATIC,
    title: 'plain HTTP in a LAN',
    serve: environments.modules,
    browser: 'lan',
    facts: { isSecureContext: false },
    fast: true,
  },
  {
    ...STATIC,
    title: 'extension page (Manifest V3)',
    serve: environments.extension,
    browser: 'extension',
    fast: true,
  },
  {
    ...STATIC,
    title: '`file://`',
    serve: environments.file,
    worker: 'inline',
    configuration: 'the `<script>`: modules are not loaded from files',
  },
  {
    ...STATIC,
    title: 'sandboxed frame, `<script>`',
    serve: (folder) => environments.sandboxed(folder, 'script'),
    worker: 'inline',
    forgets: true,
  },
  {
    ...STATIC,
    title: 'sandboxed frame, modules',
    serve: (folder) => environments.sandboxed(folder, 'modules'),
    worker: 'inline',
    forgets: true,
    configuration: 'the server allows origin `null` (CORS), as any module needs there',
  },
]
