import { describe, expect, test } from "bun:test";
import { isPlaceholder } from "../../src/log/secret-likeness.ts";

const listed = (words: string) => words.split(/\s+/).filter((word) => word !== "");

describe("what stands where a secret would, and is none", () => {
  test.each(
    listed(`
      <x <your-token> \${X \${x} $(pass {{x}} %NAME% %NAME %N_1% %N $NAME $_X $NAME_2 $A $_
      $password $my_token $db_secret_x $api_key $pass $token
      process.env process.env.X import.meta.env Bun.env.A Deno.env.get
      os.environ os.environ["A"] os.getenv env.X env( env["A"] ENV["A"] getenv(
      secrets.GITHUB secrets.a this.x this._x this.#x self.A req.body request.x res.x response.x ctx.x config.x
      options.x opts.x settings.x props.x args.x params.x input.x body.x user.x data.x state.x
      xxx xxxx *** ••• … ___ ### --- x*x X XX XXXX
      your-key your_token_here your-1 insert-it enter_password your-
      my-key my_key the-password some-token a-secret my-api-key my_api_token my-apitoken the-api_secret
      changeme change-me change_me change-it changethis replaceme replace-me replace_me
      fillmein fill-me-in fill_me_in fill-mein fixme todo tbd example sample placeholder redacted masked hidden dummy
      none null nil undefined true false empty string number boolean include same-origin omit required optional
      password passphrase secret token apikey api-key api_key key credential credentials value name
      Password TODO ChangeMe changeme. changeme.) todo;) key]: None,
    `).filter((word) => word !== "…"),
  )("%s", (word) => expect([word, isPlaceholder(word)]).toEqual([word, true]));

  test.each(
    listed(`
      x<x a\${X} a$(b) x{{x}} %name% %A-B% %1A% a%A% %A%x $Name $1 $abc $NAMEx $A-B x$NAME
      $passw0rd $my-token $TOKENx
      xprocess.env process.envX importXmeta.env BunXenv os.env osXgetenv envX envi.x env xenv.x ENV(
      secrets.1 xsecrets.A secret.A this.1 xthis.x thisx thisXx thistle.x
      xx xX Xx x-y ** 1xxx xxx1 XXx
      your xyour-key insert mykey the-passkey my-keys my-keyring xmy-key somekey
      change.me todo.x change changes changemes change-them xchangeme replaceyou fill-in
      todos exampled nonesuch emptyish passw password1 passwords tokens apikeys keys names
    `),
  )("stays a word: %s", (word) => expect([word, isPlaceholder(word)]).toEqual([word, false]));
});
