// The sign-in of a provider that the extension has registered, as ProviderConfig.oauth
// or as auth.oauth of a whole provider.
"use strict";
const { call, callAsync } = tau;
const find = (provider) => {
	const c = require("api").providers.get(provider), o = c?.oauth ?? c?.auth?.oauth;
	if (!o) throw new Error(`nothing is known of how to sign in to ${provider}`);
	return o;
};
/** Reports whether a configuration has a sign-in. */
const signsIn = (c) => typeof (c?.oauth ?? c?.auth?.oauth)?.login === "function";
const login = async (o, signal) => {
	const over = new AbortController(); // takes back what is still asked
	const both = AbortSignal.any([signal, over.signal]);
	const ask = (method, p, orElse) => {
		const answer = callAsync(method, p, both).then((v) => { if (v === undefined || v === null) { if (orElse) return undefined; throw new Error("the sign-in was cancelled"); } return v; });
		answer.catch(() => {}); // an extension may not wait for all that it asks
		return answer;
	};
	const code = (info) => { call("oauth.code", { userCode: info.userCode, verificationUri: info.verificationUri, expiresInSeconds: info.expiresInSeconds }); };
	const open = (info) => { call("oauth.open", { url: info.url, instructions: info.instructions }); };
	const prompt = (p) => ask("oauth.prompt", { message: p.message, placeholder: p.placeholder, allowEmpty: p.allowEmpty });
	const select = (p) => ask("oauth.select", { message: p.message, options: p.options }, true);
	const manual = { message: "Paste the code, or the address that the browser ended at" };
	try {
		return await o.login({
			onAuth: open, onDeviceCode: code, onPrompt: prompt, onProgress: (message) => { call("oauth.progress", { message }); }, onManualCodeInput: () => prompt(manual), onSelect: select, signal,
			prompt: (p) => (p.type === "select" ? select(p) : prompt(p.message ? p : manual)),
			notify: (ev) => { if (ev.type === "auth_url") open(ev); else if (ev.type === "device_code") code(ev); else if (ev.message) call("oauth.progress", { message: ev.message }); },
		});
	} finally { over.abort(); }
};
/** Milliseconds are whole ones in auth.json. */
const whole = (c) => (typeof c?.expires === "number" ? { ...c, expires: Math.floor(c.expires) } : c);
const methods = {
	oauth: async ({ provider, step, credentials }, signal) => {
		const o = find(provider);
		if (step === "login") return whole(await login(o, signal));
		if (step === "refresh") return whole(await (o.refreshToken ?? o.refresh).call(o, credentials, signal));
		return o.getApiKey ? o.getApiKey(credentials) : (await o.toAuth(credentials)).apiKey;
	},
};
module.exports = { methods, signsIn };
