// Plugins look for jQuery in the global scope.
import jQuery from 'jquery'

Object.assign(window, { jQuery, $: jQuery })
