// Extracts the sentences that a prompt's writer has written: no code, no quotation, nothing pasted. Pure.

// Finds where a prompt stops being its writer's own words: the signs of an issue, an e-mail, a page or a log. Pure.

/**
 * Returns the lines that the writer may have typed. Some signs show that the whole prompt was copied from elsewhere;
 * after the others it is unknown where the writer's own words begin again.
 */
function selectOwnLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.some((line) => isDocumentLine(line))) return [];
  if (lines.some((line, at) => isSignOff(line, lines.slice(at + 1)))) return [];
  const cut = lines.findIndex((line, at) => beginsPaste(line, lines.slice(at + 1)));
  if (cut === -1) return selectLinesBeforeDocument(lines);
  const own = lines.slice(0, cut);
  // The paragraph right before a paste introduces it.
  const gap = own.findLastIndex((line) => line.trim() === "");
  return selectLinesBeforeDocument(own.slice(0, Math.max(0, gap)));
}

const FENCE_OR_TAG_PATTERN = /^\s*(?:```|~~~)|<[/!?]?[a-z][^<>]*>|<!--/i;
const QUOTE_OR_TABLE_PATTERN = /^\s*[>|]/;
/** Matches e-mail headers of which a single one is enough: "From: Ann". */
const MAIL_HEADER_PATTERN = new RegExp(
  `^\\s*(?:${[
    "from|to|cc|bcc|subject|sent|date|reply-to|forwarded message",
    "von|an|betreff|gesendet|datum|antwort an|weitergeleitete nachricht",
    "de|à|objet|envoyé|date|répondre à|para|asunto|enviado|fecha|assunto|data",
    "da|oggetto|inviato|aan|onderwerp|verzonden|od|do|temat|wysłano|předmět",
    "от|кому|тема|дата|från|till|ämne|fra|til|emne|kimden|kime|konu",
    "发件人|收件人|主题|差出人|宛先|件名|보낸 사람|받는 사람|제목",
  ].join("|")})\\s?[:：]\\s*\\S`,
  "iu",
);
const GREETING_PATTERN = new RegExp(
  `^\\s*(?:${[
    "hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|sehr geehrte[rn]?|guten (?:tag|morgen|abend)|moin",
    "bonjour|bonsoir|salut|chers?|chères?|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?",
    "ciao|buongiorno|gentili?|caro|cara|olá|oi|bom dia|boa tarde|prezad[oa]s?|beste|geachte|goedemorgen",
    "cześć|dzień dobry|szanown[aiy]\\p{L}*|dobrý den|привет|здравствуйте|уважаем\\p{L}+|hej|merhaba|sayın",
  ].join("|")})(?!\\p{L})[^.!?:;]{0,40}[,!]?$`,
  "iu",
);

/** Returns true for a line from which on the words are somebody else's, or may be. */
function beginsPaste(line: string, after: readonly string[]): boolean {
  if (FENCE_OR_TAG_PATTERN.test(line) || QUOTE_OR_TABLE_PATTERN.test(line)) return true;
  const goesOn = after.some((other) => other.trim() !== "");
  if (goesOn && (GREETING_PATTERN.test(line) || hasLeadInColon(line))) return true;
  return MAIL_HEADER_PATTERN.test(line);
}

/** "Remember:" announces a rule of the writer's own. */
const OWN_LEAD_PATTERN =
  /^\s*(?:remember|note|rules?|important|please|merke?|wichtig|regel|à retenir|important|recuerda|importante|regla)\s?:\s*$/iu;

function hasLeadInColon(line: string): boolean {
  return /[:：]["'”’)*_]*\s*$/u.test(line) && !OWN_LEAD_PATTERN.test(line);
}

/** Matches headings of issue forms, which people also fill in without the heading marks. */
const FORM_HEADING_PATTERN = new RegExp(
  `^[\\s#*_]*(?:${[
    "steps to reproduce|to reproduce|how to reproduce|reproduction(?: steps)?|expected (?:behaviou?r|results?)|actual (?:behaviou?r|results?)|current behaviou?r",
    "describe the (?:bug|feature|issue|problem|solution)\\b.*|bug description|additional (?:context|information)|acceptance criteria|what happened|what did you expect\\b.*",
    "environment|screenshots?|possible solution|proposed solution|motivation|user story",
    "schritte zur reproduktion|schritte zum reproduzieren|erwartetes verhalten|tatsächliches verhalten|aktuelles verhalten|umgebung|fehlerbeschreibung|akzeptanzkriterien|weitere informationen",
    "étapes (?:pour|de) repro\\p{L}*|comportement (?:attendu|actuel|observé)|environnement|critères d['’]acceptation|informations complémentaires",
    "pasos para reproducir|comportamiento (?:esperado|actual)|resultado (?:esperado|actual)|entorno|criterios de aceptación|información adicional",
    "passos para reproduzir|comportamento (?:esperado|atual)|ambiente|passi per riprodurre|comportamento (?:atteso|attuale)",
    "stappen om te reproduceren|verwacht gedrag|werkelijk gedrag|kroki do odtworzenia|oczekiwane zachowanie|шаги (?:для )?воспроизведения|ожидаемое поведение|фактическое поведение",
    "复现步骤|预期行为|实际行为|再現手順|期待する(?:動作|挙動)|재현 (?:방법|단계)|예상 동작",
  ].join("|")})[\\s*_]*[:：?]?[\\s*_]*$`,
  "iu",
);
const HEADING_PATTERN =
  /^\s{0,3}#{1,6}\s+\S|^\s{0,3}(?:={3,}|-{3,})\s*$|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:?\s*$/;
const TASK_ITEM_PATTERN = /^\s*[-*]\s\[[ xX]\]/;
/** Matches the text of an issue's page as it is copied from a browser. */
const ISSUE_PAGE_PATTERN =
  /^\s*@?[\w-]+ (?:commented|opened this|opened an? issue|reopened|added the|self-assigned|changed the title|mentioned this|requested changes)\b|^\s*(?:assignees|labels|milestone)\s*$/i;

/** Returns true for a line that shows that the prompt is a copied document, from its first word. */
function isDocumentLine(line: string): boolean {
  return (
    HEADING_PATTERN.test(line) ||
    TASK_ITEM_PATTERN.test(line) ||
    FORM_HEADING_PATTERN.test(line) ||
    ISSUE_PAGE_PATTERN.test(line)
  );
}

const SIGN_OFF_PATTERN = new RegExp(
  `^\\s*(?:${[
    "(?:best|kind|warm|kindest|many)(?: regards| wishes)?|regards|cheers|sincerely(?: yours)?|yours(?: \\p{L}+)?|all the best|(?:many )?thanks|thank you|thx|take care",
    "(?:mit )?(?:freundliche[nr]?|viele|liebe[nr]?|beste[nr]?|schöne[nr]?) gr(?:ü|ue)(?:ß|ss)en?|grüße|mfg|lg|vg|danke|vielen dank|hochachtungsvoll",
    "(?:bien )?cordialement|bien à (?:vous|toi)|salutations|sincères salutations|merci|amicalement",
    "(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|gracias|un abrazo",
    "(?:cordiali|distinti) saluti|grazie|atenciosamente|abraços?|cumprimentos|obrigad[oa]",
    "(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|pozdrawiam|z poważaniem|s pozdravem|с уважением|спасибо",
    "(?:med )?(?:vänlig(?:a)?|venlig|vennlig) h(?:älsning(?:ar)?|ilsen)|saygılarımla|terveisin|üdvözlettel|με εκτίμηση|trân trọng|hormat saya",
  ].join("|")})\\s*[,.!]?\\s*$`,
  "iu",
);
const SENT_FROM_PATTERN =
  /^\s*(?:sent from my|get outlook for|von meinem \S+ gesendet|gesendet von|envoyé (?:de|depuis) mon|enviado desde mi|enviado do meu|inviato da|verzonden vanaf)(?!\p{L})/iu;

/** "Thanks!" closes a prompt; "Thanks," with a name under it closes a letter. */
function isSignOff(line: string, after: readonly string[]): boolean {
  if (/^--\s*$/.test(line) || SENT_FROM_PATTERN.test(line)) return true;
  const name = after.find((other) => other.trim() !== "");
  return (
    name !== undefined && SIGN_OFF_PATTERN.test(line) && /^\s*\p{L}[^.!?:;]{0,40}$/u.test(name)
  );
}

/** Matches what people announce before they paste it: "Fix this issue", and under it the issue. */
const DOCUMENT_PATTERN = new RegExp(
  `(?<!\\p{L})(?:${[
    "issues?|tickets?|bug reports?|e-?mails?|mails?|messages?|threads?|comments?|letters?|posts?|transcripts?|templates?|descriptions?|feedback|quotes?|announcements?|specs?|pull requests?|below|following",
    "nachricht(?:en)?|kommentar(?:e|s)?|brief|beschreibung|vorlage|fehlerbericht|zitat|folgende\\p{L}*|unten",
    "courriels?|messages?|commentaires?|lettre|modèle|citation|suivante?s?|ci-dessous",
    "correos?|mensajes?|comentarios?|carta|plantilla|descripción|cita|siguientes?|abajo|incidencias?",
    "messaggi?o?|commenti?o?|lettera|seguente|mensagem|mensagens|carta|seguinte|bericht(?:en)?|opmerking|volgende",
    "wiadomoś\\p{L}+|komentarz\\p{L}*|poniżej|zpráv\\p{L}+|сообщени\\p{L}+|комментари\\p{L}+|письм\\p{L}+|ниже|meddelande|besked|melding|mesaj\\p{L}*",
  ].join(
    "|",
  )})(?!\\p{L})|邮件|消息|评论|以下|如下|メール|メッセージ|コメント|次の|이메일|메시지|댓글|다음`,
  "iu",
);

/** Returns the paragraphs up to the one that names a document, if others follow it. */
function selectLinesBeforeDocument(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex(
    (line, index) => DOCUMENT_PATTERN.test(line) && endsParagraph(lines, index),
  );
  return at === -1 ? lines : lines.slice(0, at + 1);
}

function endsParagraph(lines: readonly string[], at: number): boolean {
  const next = lines.findIndex((line, index) => index > at && line.trim() === "");
  return next !== -1 && lines.slice(next).some((line) => line.trim() !== "");
}

// Recognises sentences by which people take back what they have just said, in the languages that the redaction reads.
// Pure.

/** Phrases that take back everything before them in a prompt, or the previous prompt if they begin one. */
const RETRACTION_PHRASES = [
  "no,? wait|wait,? (?:no|what)|oh wait|scratch (?:that|this|it|what)|strike (?:that|this|it)|never ?mind|(?:please )?(?:forget|ignore|disregard|cancel|undo) (?:it|that|this|all that|what i)",
  "(?:(?:i['’]?m|i am|i was|was) )?(?:just |only )?(?:kidding|joking)|i take (?:it|that|this) back|correction|on second thoughts?|not really|my (?:mistake|bad)|oops|i changed my mind|i was wrong|i did(?:n['’]t| not) mean",
  "that(?:['’]s| is| was) (?:wrong|false|a (?:joke|lie|mistake)|not (?:true|right|correct|what))",
  "nein,? (?:warte|moment|halt|stopp|doch|lieber|vergiss)|warte,? (?:nein|mal|doch)|ach nein|(?:ach,? )?quatsch|doch nicht|lieber nicht|besser nicht|vergiss (?:es|das)|vergessen sie (?:es|das)|streich(?:e|en sie)? (?:das|es)|ignorier(?:e|en sie)? (?:das|es)",
  "(?:war )?(?:nur |bloß )?(?:ein |kleiner )?(?:spaß|scherz|witz)|(?:das )?stimmt (?:so )?nicht|das (?:war|ist) (?:falsch|ein (?:fehler|irrtum|scherz|witz))|ich nehme (?:es|das) zurück|korrektur|mein fehler|ich habe (?:mich geirrt|es mir anders überlegt)",
  "non,? (?:attends|attendez|en fait|plutôt|oublie)|attends,? (?:non|en fait)|(?:oublie|oubliez|ignore|ignorez|annule|annulez) (?:ça|cela|ce que)|laisse(?:z)? tomber|je (?:plaisante|rigole|blague|retire|me suis tromp\\p{L}+)|c['’](?:est|était) (?:faux|une (?:blague|erreur))|tout compte fait|j['’]ai changé d['’]avis|au temps pour moi",
  "no,? (?:espera|espere|mejor|perdón|olvida\\p{L}*)|espera,? no|olvíd[ae]lo|olvid[ae] (?:eso|esto|lo)|(?:cancela|ignora|borra|tacha) (?:eso|esto|lo)|(?:es|era) (?:una )?broma|mejor no|me (?:he )?equivo\\p{L}+|retiro lo dicho|corrección|eso (?:no es cierto|es falso)|he cambiado de (?:idea|opinión)|pensándolo bien",
  "no,? aspetta|aspetta,? no|lascia(?:mo)? perdere|dimentical[oa]|(?:ignora|cancella) (?:questo|quello|ciò)|scherz(?:o|avo)|mi sono sbagliat[oa]|anzi,? no|ripensandoci|ho cambiato idea|come non detto",
  "não,? (?:espera|espere|melhor)|espera,? não|esque[çc][ae]?(?: (?:isso|isto))?|deixa (?:pra lá|estar|para lá)|(?:ignora|ignore|cancela|cancele) (?:isso|isto)|(?:é|era|foi) (?:uma )?brincadeira|estou (?:a )?brinca\\p{L}*|(?:me enganei|enganei-me)|melhor não|pensando bem|mudei de ideia",
  "nee,? (?:wacht|toch|liever|laat)|wacht,? nee|laat maar|vergeet (?:het|dat)|toch (?:maar )?niet|(?:was (?:maar )?een )?grapje|ik vergiste me|liever niet|bij nader inzien|negeer dat",
  "nie,? (?:czekaj|jednak|poczekaj)|czekaj,? nie|zapomnij(?: o tym)?|nieważne|(?:to (?:był )?)?żart(?:uję|owałem|owałam)?|jednak nie|cofam|pomyliłe?a?m się|zignoruj to",
  "ne,? počkej|počkej,? ne|zapomeň(?: na to)?|radši ne|dělám si (?:legraci|srandu)|beru zpět|spletl[a]? jsem se",
  "нет,? (?:подожди|постой|стой|лучше|погоди)|(?:подожди|постой|стой|погоди),? нет|забудь(?:те)?|неважно|(?:я )?(?:шучу|пошутил[а]?)|шутка|беру (?:свои )?слова|я (?:ошибся|ошиблась|передумал[а]?)|это (?:неправда|неверно)|отмена|игнорируй",
  "nej,? (?:vänta|vent|förresten)|nei,? vent|vänta,? nej|vent,? ne[ij]|glöm (?:det|bort)|glem det|(?:jag )?(?:skojar|skämtar)(?: bara)?|(?:jeg )?(?:bare )?(?:tuller|spøker|laver sjov)|ångrar mig|ei,? odota|unohda se|vitsi|perun",
  "hayır,? (?:bekle|dur)|bekle,? hayır|(?:bunu |onu )?unut(?:un)?|boş ver|vazgeçtim|şaka(?: yaptım)?|yanlış oldu",
  "nem,? várj|várj,? nem|felejtsd el|mégsem|csak vicceltem|visszavonom|όχι,? περίμενε|ξέχνα(?: το)?|ξέχασέ το|πλάκα κάνω|κάνω πλάκα",
  "không,? (?:khoan|đợi|chờ)|quên (?:đi|nó)|đùa thôi|rút lại|(?:tidak|bukan),? tunggu|tunggu,? (?:tidak|bukan)|lupakan|cuma bercanda|batalkan",
];
/** In scripts without spaces no boundary shows where a word ends. */
const UNSPACED_RETRACTIONS =
  "不对|不對|不，|等等|等一下|算了|忘了|忘掉|当我没说|開玩笑|开玩笑|撤回|更正|いや、|待って|ちょっと待|やっぱり|忘れて|冗談|訂正|取り消|아니,|아니 |잠깐|잊어|취소|농담|정정";

/** Fillers, which mean nothing, as in "Hmm, scratch that". */
const FILLER_PHRASES =
  "(?:(?:h+m+|o+h|a+h|u+h|um|er|eh|euh|ä+h+|ach|ok(?:ay)?|well|sorry|oops|actually|please|pardon|perdón|scusa|desculpa|bitte|ну|ой|ups?)[\\s,.!…—–-]+)*";

const RETRACTION_PATTERN = new RegExp(
  `^["'“‘„«(¡¿—–-]*\\s*${FILLER_PHRASES}(?:(?:${RETRACTION_PHRASES.join("|")})(?!\\p{L})|${UNSPACED_RETRACTIONS})`,
  "iu",
);

/** Phrases that doubt, limit or reverse the sentence right before them; elsewhere they don't refer to it. */
const DOUBT_PHRASES = [
  "no|nope|nah|not|wrong|false|kidding|just kidding|just jok\\p{L}+|jok\\p{L}+|never|scratch|actually|wait|sorry|hmm|or|but|however|unless|except|only|until|till|if|when|that|this|it|is|was|right|i (?:mean|meant|was|am|did|do|don|take)|ignore|forget|undo|says?|said|at least|for now|today|so (?:it|they|he|she|the)",
  "nein|nee|nicht|nie|falsch|warte|moment|halt|eigentlich|oder|aber|jedoch|doch|außer|es sei denn|nur|bis|wenn|falls|das|dies|es|ist|war|stimmt|ich meine?|vergiss|vorerst|heute|zumindest|sagt|so (?:steht|sagt|heißt)|entschuldigung|tut mir leid",
  "non|pas|jamais|faux|attends|en fait|ou|mais|cependant|sauf|seulement|uniquement|jusqu|si|quand|lorsque|ça|cela|ceci|c['’]est|il|je (?:veux dire|voulais)|oublie|pour l['’]instant|aujourd['’]hui|du moins|pardon|désolée?|dit|euh",
  "no|nunca|falso|espera|en realidad|o|pero|sin embargo|salvo|excepto|sólo|solo|solamente|hasta|si|cuando|eso|esto|es|era|quiero decir|quería|olvida|por ahora|hoy|al menos|perdón|lo siento|dice|dijo",
  "non|mai|falso|aspetta|in realtà|anzi|ma|però|tranne|soltanto|finché|se|quando|questo|quello|è|era|cioè|per ora|oggi|almeno|scusa|dice",
  "não|nunca|espera|na verdade|ou|mas|porém|exceto|só|apenas|até|se|quando|isso|isto|é|era|quero dizer|por enquanto|hoje|pelo menos|desculpa|diz",
  "nee|niet|nooit|wacht|eigenlijk|of|maar|echter|behalve|alleen|tot|als|wanneer|dat|dit|het|is|was|ik bedoel|voorlopig|vandaag|tenminste|zegt",
  "nie|nigdy|czekaj|właściwie|albo|lub|ale|jednak|oprócz|chyba|tylko|dopóki|jeśli|gdy|na razie|dziś|przepraszam|ne|nikdy|počkej|vlastně|nebo|avšak|kromě|jen|pokud|když|promiň",
  "нет|не|никогда|подожди|вообще-то|на самом деле|или|но|однако|кроме|если|когда|только|пока|это|так|извини|прости|сегодня",
  "nej|nei|inte|ikke|aldrig|aldri|vänta|vent|egentligen|egentlig|eller|men|dock|utom|bara|bare|kun|tills|om|när|når|det|ei|odota|mutta|vain|jos|hayır|bekle|aslında|ama|ancak|veya|yalnız|eğer|nem|várj|de|vagy|csak|ha|όχι|περίμενε|αλλά|μόνο|αν|không|khoan|nhưng|hoặc|chỉ|nếu|tidak|bukan|tunggu|tapi|atau|hanya|jika",
];
const UNSPACED_DOUBTS =
  "不|但|可是|除非|只|如果|或|しかし|でも|ただし|もし|だけ|いや|違|아니|하지만|단,|만약|그러나";

const DOUBT_PATTERN = new RegExp(
  `^["'“‘„«(¡¿—–-]*\\s*(?:(?:${DOUBT_PHRASES.join("|")})(?!\\p{L})|${UNSPACED_DOUBTS})`,
  "iu",
);

/** Returns true if a sentence takes back all that was said before it. */
function retractsAll(sentence: string): boolean {
  return RETRACTION_PATTERN.test(sentence);
}

/** Returns true if a sentence takes back, limits or doubts the one right before it. */
export function retractsEarlier(sentence: string): boolean {
  return DOUBT_PATTERN.test(sentence) || retractsAll(sentence);
}

/** Prompts typed by hand are shorter; longer ones are taken for pasted. */
const MAX_CHARS = 1_200;
const MAX_LINES = 12;

/** Holds a sentence with its neighbours, which may reverse its meaning. */
export interface Sentence {
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns the writer's own sentences that no later one of the prompt takes back. */
export function splitSentences(prompt: string): readonly Sentence[] {
  const all = selectOwnParagraphs(prompt).flatMap((lines) => splitParagraph(lines.join(" ")));
  const sentences = all.map((text, at) => ({
    text,
    before: all[at - 1] ?? null,
    after: all[at + 1] ?? null,
  }));
  const from = all.findLastIndex(retractsAll) + 1;
  return sentences.slice(from).filter((_, at) => !hasUnclosedQuotation(all.slice(0, from + at)));
}

/** Returns true if the prompt begins by taking back what the previous one says. */
export function retractsPreviousPrompt(prompt: string): boolean {
  const [first = ""] = splitParagraph(prompt.trim());
  return retractsAll(first);
}

function selectOwnParagraphs(prompt: string): readonly (readonly string[])[] {
  const text = prompt.replace(/^(?:\s*\n)+/, "").trimEnd();
  if (text.length > MAX_CHARS || text.split("\n").length > MAX_LINES) return [];
  return selectOwnLines(text)
    .join("\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split("\n"))
    .filter((lines) => !lines.some(isMarkup));
}

/** Matches lines of Markdown, code, a table or a log: a paragraph with one such line was pasted, or quotes. */
function isMarkup(line: string): boolean {
  return /^(?:\s{4,}|\t)|^\s*(?:[>#|$%+*•-]|\d+[.)]\s|@@|\/\/|\[)|[{};]\s*$|={3,}|-{3,}/.test(line);
}

function splitParagraph(paragraph: string): readonly string[] {
  return paragraph
    .split(/(?<=[.!?…]["'“”‘’»)]*)\s+|(?<=[。！？]["'”’)」』]*)\s*/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Returns true if a quotation that these sentences began is still open after them. */
function hasUnclosedQuotation(sentences: readonly string[]): boolean {
  const marks = sentences.join(" ").match(/["“”„«»「」『』]/g) ?? [];
  return marks.length % 2 === 1;
}
